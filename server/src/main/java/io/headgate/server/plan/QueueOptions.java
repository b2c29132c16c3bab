package io.headgate.server.plan;

import io.headgate.queues.KeepDone;
import io.headgate.redis.capacity.QueuePlan;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What {@code headgate plan queue} is told of the queue. */
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
            converter = PlanNumber.Small.class,
            description = "How many jobs one call enqueues, from 1 to 500; ${DEFAULT-VALUE} by default.")
    int batch;

    @Option(
            names = "--payload",
            paramLabel = "BYTES",
            defaultValue = "500",
            converter = PlanNumber.Small.class,
            description = "How large a payload is; ${DEFAULT-VALUE} bytes by default.")
    int payload;

    @Option(
            names = "--headers",
            paramLabel = "BYTES",
            defaultValue = "0",
            converter = PlanNumber.Small.class,
            description = "How long a job's headers are, names and values together; ${DEFAULT-VALUE} by default.")
    int headers;

    @Option(
            names = "--keyed",
            paramLabel = "SHARE",
            defaultValue = "0",
            converter = PlanNumber.Decimal.class,
            description = "Which share of the jobs has a key (once), from 0 to 1; ${DEFAULT-VALUE} by default.")
    double keyed;

    @Option(
            names = "--key-length",
            paramLabel = "N",
            defaultValue = "36",
            converter = PlanNumber.Small.class,
            description = "How many bytes such a key has; ${DEFAULT-VALUE} by default.")
    int keyLength;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            defaultValue = "0s",
            converter = PlanTime.class,
            description =
                    "How long after they were enqueued jobs are due, on average, such as 10m; at once by default.")
    Duration delay = Duration.ZERO;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            converter = PlanNumber.Whole.class,
            description = "How many jobs wait on average, instead of as many as come in the delay.")
    Optional<Long> jobs = Optional.empty();

    @Option(
            names = "--handling",
            paramLabel = "TIME",
            defaultValue = "100ms",
            converter = PlanTime.class,
            description = "How long it takes to handle a job, on average; ${DEFAULT-VALUE} by default.")
    Duration handling = Duration.ZERO;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "2",
            converter = PlanNumber.Small.class,
            description = "How many workers there are; ${DEFAULT-VALUE} by default.")
    int workers;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "10",
            converter = PlanNumber.Small.class,
            description = "How many jobs each of them handles at once; ${DEFAULT-VALUE} by default.")
    int concurrency;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = PlanTime.class,
            description = "How long their leases are; ${DEFAULT-VALUE} by default.")
    Duration lease = Duration.ZERO;

    @Option(
            names = "--round-trip",
            paramLabel = "TIME",
            defaultValue = "200us",
            converter = PlanTime.class,
            description = "How long their calls take; ${DEFAULT-VALUE} by default.")
    Duration roundTrip = Duration.ZERO;

    @Option(
            names = "--claim",
            paramLabel = "N",
            converter = PlanNumber.Small.class,
            description = "Instead of workers: jobs are claimed by calls of up to so many, from 1 to 500, and acked by"
                    + " as many, and there are always some due.")
    Optional<Integer> claim = Optional.empty();

    @Option(
            names = "--failing",
            paramLabel = "SHARE",
            defaultValue = "0",
            converter = PlanNumber.Decimal.class,
            description = "Which share of the attempts fails, from 0 to 1; ${DEFAULT-VALUE} by default.")
    double failing;

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "10",
            converter = PlanNumber.Small.class,
            description = "After how many a job is a dead letter; ${DEFAULT-VALUE} by default.")
    int attempts;

    @Option(
            names = "--backoff",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = PlanTime.class,
            description = "How long a job waits for its next attempt, on average; ${DEFAULT-VALUE} by default.")
    Duration backoff = Duration.ZERO;

    @Option(
            names = "--cause",
            paramLabel = "BYTES",
            defaultValue = "100",
            converter = PlanNumber.Small.class,
            description = "How many bytes are kept of a failure; ${DEFAULT-VALUE} by default. A worker's stack trace"
                    + " takes some 1000.")
    int cause;

    @Option(
            names = "--dead",
            paramLabel = "N",
            defaultValue = "0",
            converter = PlanNumber.Whole.class,
            description = "How many dead letters are kept; ${DEFAULT-VALUE} by default.")
    long dead;

    @Option(
            names = "--keep-done",
            paramLabel = "N",
            converter = PlanNumber.Whole.class,
            description = "How many done jobs are kept at most; none unless this or their time is given.")
    Optional<Long> keepDone = Optional.empty();

    @Option(
            names = "--keep-done-for",
            paramLabel = "TIME",
            converter = PlanTime.class,
            description = "For how long at most done jobs are kept.")
    Optional<Duration> keepDoneFor = Optional.empty();

    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "1",
            converter = PlanNumber.Small.class,
            description = "Over how many shards the queue is spread, from 1 to 64; ${DEFAULT-VALUE} by default.")
    int shards;

    @Option(
            names = "--standstill",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = PlanTime.class,
            description = "For how long at most jobs are enqueued and none is handled, until the peak; ${DEFAULT-VALUE}"
                    + " by default.")
    Duration standstill = Duration.ZERO;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "orders",
            description = "What the queue is called; ${DEFAULT-VALUE} by default.")
    String name = "";

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description = "What every key begins with; ${DEFAULT-VALUE} by default.")
    String keyPrefix = "";

    /**
     * The plan of such a queue.
     *
     * @throws IllegalArgumentException when there can't be such a one
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
        claim.ifPresent(plan::claimedByHand);
        return plan.keepDone(kept()).shards(shards).build();
    }

    /** Which done jobs are kept. */
    KeepDone kept() {
        KeepDone newest = keepDone.map(KeepDone::newest).orElse(KeepDone.none());
        return keepDoneFor
                .map(time -> newest.isAny() ? new KeepDone(newest.max(), time) : KeepDone.forTime(time))
                .orElse(newest);
    }
}
