package io.headgate.server.plan;

import io.headgate.queues.KeepDone;
import io.headgate.redis.capacity.QueuePlan;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code headgate plan queue} for the expected load of the queue. */
final class QueueOptions {

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "100",
            converter = PlanNumber.Decimal.class,
            description = "Jobs enqueued a second; ${DEFAULT-VALUE} by default.")
    double rate;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            converter = PlanNumber.Int.class,
            description = "Jobs per enqueue call, from 1 to 500; ${DEFAULT-VALUE} by default.")
    int batch;

    @Option(
            names = "--payload",
            paramLabel = "BYTES",
            defaultValue = "500",
            converter = PlanNumber.Int.class,
            description = "Size of a payload; ${DEFAULT-VALUE} bytes by default.")
    int payload;

    @Option(
            names = "--headers",
            paramLabel = "BYTES",
            defaultValue = "0",
            converter = PlanNumber.Int.class,
            description = "Bytes of a job's headers, names and values in total; ${DEFAULT-VALUE} by default.")
    int headers;

    @Option(
            names = "--keyed",
            paramLabel = "SHARE",
            defaultValue = "0",
            converter = PlanNumber.Decimal.class,
            description = "The share of jobs enqueued once by a key, from 0 to 1; ${DEFAULT-VALUE} by default.")
    double keyed;

    @Option(
            names = "--key-length",
            paramLabel = "N",
            defaultValue = "36",
            converter = PlanNumber.Int.class,
            description = "Bytes of such a key; ${DEFAULT-VALUE} by default.")
    int keyLength;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = PlanTime.class,
            description = "Average delay of jobs, such as 10m; due immediately by default.")
    Duration delay = Duration.ZERO;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            converter = PlanNumber.Whole.class,
            description = "Jobs that wait on average, instead of as many as arrive during the delay.")
    Optional<Long> jobs = Optional.empty();

    @Option(
            names = "--handling",
            paramLabel = "TIME",
            defaultValue = "100ms",
            converter = PlanTime.class,
            description = "Average time to handle a job; ${DEFAULT-VALUE} by default.")
    Duration handling = Duration.ZERO;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "2",
            converter = PlanNumber.Int.class,
            description = "Number of workers; ${DEFAULT-VALUE} by default.")
    int workers;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "10",
            converter = PlanNumber.Int.class,
            description = "Jobs that each worker handles concurrently; ${DEFAULT-VALUE} by default.")
    int concurrency;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = PlanTime.class,
            description = "Lease of a claimed job; ${DEFAULT-VALUE} by default.")
    Duration lease = Duration.ZERO;

    @Option(
            names = "--round-trip",
            paramLabel = "TIME",
            defaultValue = "200us",
            converter = PlanTime.class,
            description = "Time of a worker's call; ${DEFAULT-VALUE} by default.")
    Duration roundTrip = Duration.ZERO;

    @Option(
            names = "--claim",
            paramLabel = "N",
            converter = PlanNumber.Int.class,
            description =
                    "Instead of workers: calls of claim and ackAll for up to this number of jobs, from 1 to 500, of a queue that always has due jobs.")
    Optional<Integer> claim = Optional.empty();

    @Option(
            names = "--failing",
            paramLabel = "SHARE",
            defaultValue = "0",
            converter = PlanNumber.Decimal.class,
            description = "The share of attempts that fail, from 0 to 1; ${DEFAULT-VALUE} by default.")
    double failing;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "10",
            converter = PlanNumber.Int.class,
            description = "Attempts before a job is a dead letter; ${DEFAULT-VALUE} by default.")
    int attempts;

    @Option(
            names = "--backoff",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = PlanTime.class,
            description = "Average wait before the next attempt; ${DEFAULT-VALUE} by default.")
    Duration backoff = Duration.ZERO;

    @Option(
            names = "--cause",
            paramLabel = "BYTES",
            defaultValue = "100",
            converter = PlanNumber.Int.class,
            description =
                    "Bytes stored for a failure; ${DEFAULT-VALUE} by default. A worker's stack trace takes about 1000.")
    int cause;

    @Option(
            names = "--dead",
            paramLabel = "N",
            defaultValue = "0",
            converter = PlanNumber.Whole.class,
            description = "Dead letters that are kept; ${DEFAULT-VALUE} by default.")
    long dead;

    @Option(
            names = "--keep-done",
            paramLabel = "N",
            converter = PlanNumber.Whole.class,
            description = "Done jobs that are kept at most; none unless this or --keep-done-for is given.")
    Optional<Long> keepDone = Optional.empty();

    @Option(
            names = "--keep-done-for",
            paramLabel = "TIME",
            converter = PlanTime.class,
            description = "How long done jobs are kept at most.")
    Optional<Duration> keepDoneFor = Optional.empty();

    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "1",
            converter = PlanNumber.Int.class,
            description = "Shards of the queue, from 1 to 64; ${DEFAULT-VALUE} by default.")
    int shards;

    @Option(
            names = "--standstill",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = PlanTime.class,
            description = "The longest time in which jobs are enqueued and none is handled; ${DEFAULT-VALUE}"
                    + " by default.")
    Duration standstill = Duration.ZERO;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "orders",
            description = "Name of the queue; ${DEFAULT-VALUE} by default.")
    String name = "";

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description = "The prefix of every key; ${DEFAULT-VALUE} by default.")
    String keyPrefix = "";

    /**
     * The plan of a queue with this load.
     *
     * @throws IllegalArgumentException if a value is out of its range, or more jobs arrive than the workers can handle
     */
    QueuePlan plan(PlannedMemory memory) {
        QueuePlan.Builder plan = QueuePlan.builder()
                .name(name)
                .keyPrefix(keyPrefix)
                .enqueuedPerSecond(rate)
                .batch(batch)
                .payloadBytes(payload)
                .headerBytes(headers)
                .keyed(keyed, keyLength)
                .delay(delay)
                .workers(workers, concurrency)
                .handling(handling)
                .lease(lease)
                .roundTrip(roundTrip)
                .failing(failing, attempts)
                .backoff(backoff)
                .causeBytes(cause)
                .deadLetters(dead)
                .standstill(standstill)
                .mallocStats(memory.mallocStats());
        jobs.ifPresent(plan::jobsWaiting);
        claim.ifPresent(plan::claimedWithoutWorkers);
        return plan.keepDone(kept()).shards(shards).build();
    }

    /** The done jobs that are kept. */
    KeepDone kept() {
        KeepDone newest = keepDone.map(KeepDone::newest).orElse(KeepDone.none());
        return keepDoneFor
                .map(time -> newest.isAny() ? new KeepDone(newest.max(), time) : KeepDone.forTime(time))
                .orElse(newest);
    }
}
