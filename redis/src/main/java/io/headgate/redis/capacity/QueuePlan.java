package io.headgate.redis.capacity;

import io.headgate.queues.KeepDone;
import io.headgate.queues.internal.JobBounds;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.script.KeyPrefix;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/**
 * An estimate of what a queue needs in Redis: keys, memory, round trips, commands and bytes on the wire. It is computed from the layouts
 * of the stored values and from the calls that engines make. Immutable.
 *
 * <pre>{@code
 * QueuePlan plan = QueuePlan.builder()
 *         .enqueuedPerSecond(200)
 *         .payloadBytes(1_000)
 *         .delay(Duration.ofMinutes(10))
 *         .workers(4, 20)
 *         .build();
 * double bytes = plan.peakBytes();
 * }</pre>
 *
 * <p>Assumptions: jobs arrive evenly, with one priority, and enqueue calls are not batched with each other. Each attempt fails
 * independently, with the given probability. Handling times are uniform from 0 to twice the mean. The peak follows an outage of all
 * workers, during which jobs were enqueued but not handled; then the workers have claimed as many jobs as they can. Memory is that of the
 * keys in Redis 6.2 to 8.0 with jemalloc, in the build that needs the most memory unless {@link Builder#mallocStats} is given. {@code
 * docs/decisions/0022-capacity-plans.md} describes the models.
 *
 * @param contents the stored parts
 * @param calls the calls of each kind
 * @param quantumBytes the distance between the allocator's small size classes: 8 or 16 bytes
 * @param jobsOfAClaim the mean number of jobs that a call claims
 * @param deadLettersPerSecond new dead letters per second
 */
public record QueuePlan(
        List<QueueContent> contents,
        List<QueueCalls> calls,
        int quantumBytes,
        double jobsOfAClaim,
        double deadLettersPerSecond) {

    /** The most jobs enqueued per second. */
    public static final double MAX_PER_SECOND = 1e9;

    /** The most jobs that wait, and the most dead letters. */
    public static final long MAX_JOBS = 1_000_000_000;

    /** Copies the lists. */
    public QueuePlan {
        contents = List.copyOf(contents);
        calls = List.copyOf(calls);
    }

    /** Creates a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** The number of Redis keys at the peak. */
    public int peakKeys() {
        return contents.stream().mapToInt(QueueContent::peakKeys).sum();
    }

    /** Memory at the peak, in bytes. */
    public double peakBytes() {
        return sum(contents, QueueContent::peakBytes);
    }

    /** The mean number of Redis keys. */
    public int averageKeys() {
        return contents.stream().mapToInt(QueueContent::averageKeys).sum();
    }

    /** The mean memory, in bytes. */
    public double averageBytes() {
        return sum(contents, QueueContent::averageBytes);
    }

    /** Calls per second. */
    public double roundTripsPerSecond() {
        return sum(calls, QueueCalls::roundTripsPerSecond);
    }

    /** Commands per second: script calls, and the commands that the scripts call. */
    public double commandsPerSecond() {
        return sum(calls, QueueCalls::commandsPerSecond);
    }

    /** Bytes per second sent to Redis, without the overhead of TCP and TLS. */
    public double bytesInPerSecond() {
        return sum(calls, QueueCalls::bytesInPerSecond);
    }

    /** Bytes per second sent by Redis, without the overhead of TCP and TLS. */
    public double bytesOutPerSecond() {
        return sum(calls, QueueCalls::bytesOutPerSecond);
    }

    private static <T> double sum(List<T> some, ToDoubleFunction<T> part) {
        return some.stream().mapToDouble(part).sum();
    }

    /** Builds a plan. Not safe for use by several threads. */
    public static final class Builder {

        private static final Duration LONGEST = JobBounds.MAX_DELAY;

        private final QueueLoad load = new QueueLoad();
        private RedisAllocation memory = new RedisAllocation(RedisAllocation.LARGER_QUANTUM);

        private Builder() {}

        /** Sets the name of the queue; {@code orders} by default. */
        public Builder name(String name) {
            load.name = JobBounds.name(name);
            return this;
        }

        /** Sets the prefix of keys; {@code hg} by default. See {@link RedisSettings#withKeyPrefix}. */
        public Builder keyPrefix(String prefix) {
            load.keyPrefix = KeyPrefix.checked(prefix);
            return this;
        }

        /** Sets the jobs enqueued per second: more than 0, up to 10^9; 100 by default. */
        public Builder enqueuedPerSecond(double jobs) {
            if (!(jobs > 0 && jobs <= MAX_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "jobs enqueued a second must be more than 0 and at most 1000000000, were " + jobs);
            }
            load.enqueued = jobs;
            return this;
        }

        /** Sets the jobs of one enqueue call: 1 to 500; 1 by default. */
        public Builder batch(int jobs) {
            load.batch = (int) JobBounds.inRange("jobs of a call", jobs, 1, JobBounds.MAX_BATCH);
            return this;
        }

        /** Sets the size of a payload: 0 to 262 144 bytes; 500 by default. */
        public Builder payloadBytes(int bytes) {
            load.payload = (int) JobBounds.inRange("bytes of a payload", bytes, 0, JobBounds.MAX_PAYLOAD_BYTES);
            return this;
        }

        /** Sets the size of all headers of a job, with names and values: 0 to 16 384 bytes; 0 by default. */
        public Builder headerBytes(int bytes) {
            load.headers = (int) JobBounds.inRange("bytes of headers", bytes, 0, JobBounds.MAX_HEADER_BYTES);
            return this;
        }

        /** Sets the share of the jobs with a key, 0 to 1, and its length, 1 to 255 bytes; none by default. */
        public Builder keyed(double share, int keyBytes) {
            load.keyed = QueueLoad.share("share of jobs with keys", share);
            load.keyLength = (int) JobBounds.inRange("bytes of a key", keyBytes, 1, JobBounds.MAX_KEY_BYTES);
            return this;
        }

        /** Sets the mean delay of jobs: 0 to 3660 days; 0 by default. */
        public Builder delay(Duration mean) {
            load.delay = QueueLoad.seconds("delay", JobBounds.delay(mean), Duration.ZERO, LONGEST);
            return this;
        }

        /** Sets the mean number of waiting jobs, 0 to 10^9; by default, the number of jobs that arrive during the delay. */
        public Builder jobsWaiting(long jobs) {
            load.waiting = OptionalDouble.of((double) JobBounds.inRange("jobs that wait", jobs, 0, MAX_JOBS));
            return this;
        }

        /** Sets the number of workers and the number of jobs that each handles concurrently, 1 to 10 000; 2 and 10 by default. */
        public Builder workers(int workers, int concurrency) {
            load.workers = (int) JobBounds.inRange("workers", workers, 1, 10_000);
            load.concurrency = (int) JobBounds.inRange("concurrency", concurrency, 1, 10_000);
            return this;
        }

        /** Sets the mean time to handle a job: 0 to 1 day; 100 ms by default. */
        public Builder handling(Duration time) {
            load.handling = QueueLoad.seconds("time of handling", time, Duration.ZERO, Duration.ofDays(1));
            return this;
        }

        /** Sets the lease of a worker: 10 ms to 1 day; 30 seconds by default. */
        public Builder lease(Duration length) {
            load.lease = QueueLoad.seconds("lease", JobBounds.lease(length), JobBounds.MIN_LEASE, JobBounds.MAX_LEASE);
            return this;
        }

        /**
         * Sets the duration of a worker's call, including the time in the client: 1 us to 1 minute; 200 us by default. Jobs that arrive
         * during a call are claimed by the next one.
         */
        public Builder roundTrip(Duration time) {
            load.roundTrip = QueueLoad.seconds("round trip", time, Duration.ofNanos(1000), Duration.ofMinutes(1));
            return this;
        }

        /**
         * Plans calls of {@code claim} and {@code ackAll} instead of workers, for a queue that always has due jobs. Each call has up to
         * this number of jobs, 1 to 500.
         */
        public Builder claimedWithoutWorkers(int jobs) {
            load.manualClaim = OptionalInt.of((int) JobBounds.inRange("jobs of a claim", jobs, 1, JobBounds.MAX_BATCH));
            return this;
        }

        /**
         * Sets the share of the attempts that fail, 0 to 1, and the attempts after which a job is a dead letter, 1 to 255; 0 and 10 by
         * default.
         */
        public Builder failing(double share, int attempts) {
            load.failing = QueueLoad.share("share of attempts that fail", share);
            load.attempts = (int) JobBounds.inRange("attempts", attempts, 1, 255);
            return this;
        }

        /** Sets the mean backoff before the next attempt: 0 to 3660 days; 1 second by default. */
        public Builder backoff(Duration mean) {
            load.backoff = QueueLoad.seconds("backoff", mean, Duration.ZERO, LONGEST);
            return this;
        }

        /**
         * Sets the bytes that are kept of the cause of a failed attempt: 0 to 2000; 100 by default. A worker keeps the class, the message
         * and the top frames of an exception: about 1000 bytes, and 1300 at most.
         */
        public Builder causeBytes(int bytes) {
            load.cause = (int) JobBounds.inRange("bytes of a cause", bytes, 0, 2000);
            return this;
        }

        /** Sets the number of dead letters that are kept: 0 to 10^9; none by default. */
        public Builder deadLetters(long kept) {
            load.dead = JobBounds.inRange("dead letters", kept, 0, MAX_JOBS);
            return this;
        }

        /** Sets which done jobs are kept; none by default. The plan counts the jobs done within that time, up to that maximum. */
        public Builder keepDone(KeepDone kept) {
            load.keepDone = Objects.requireNonNull(kept, "kept");
            return this;
        }

        /** Sets the number of shards of the queue: 1 to 64; 1 by default. The plan assumes that jobs are spread evenly over them. */
        public Builder shards(int number) {
            load.shards = (int) JobBounds.inRange("shards", number, 1, JobBounds.MAX_SHARDS);
            return this;
        }

        /** Sets the length of the outage of all workers before the peak: 0 to 3660 days; 10 minutes by default. */
        public Builder standstill(Duration longest) {
            load.standstill = QueueLoad.seconds("standstill", longest, Duration.ZERO, LONGEST);
            return this;
        }

        /**
         * Sets the allocator of the planned Redis from its reply to {@code MEMORY MALLOC-STATS}; a reply without the quantum changes
         * nothing. By default, small size classes are 16 bytes apart, as in the Redis of most distributions.
         */
        public Builder mallocStats(String reply) {
            RedisAllocation.quantumBytes(reply).ifPresent(bytes -> this.memory = new RedisAllocation(bytes));
            return this;
        }

        /**
         * Computes the plan.
         *
         * @throws IllegalArgumentException if the plan has workers, and more jobs arrive than they handle, so that the queue would grow
         *     without end
         */
        public QueuePlan build() {
            if (load.manualClaim.isEmpty() && load.claimedJobs() > load.maxHandled()) {
                throw new IllegalArgumentException(
                        ("jobs arrive faster than the workers handle them: %.0f attempts a second, but %d workers with %d"
                                        + " handlers each handle %.0f; add workers or handlers")
                                .formatted(load.claimedJobs(), load.workers, load.concurrency, load.maxHandled()));
            }
            QueueTraffic ofAShard = new QueueTraffic(load.ofShard());
            double ofAClaim = ofAShard.jobsOfAClaim();
            return new QueuePlan(
                    QueueMemory.of(
                            load, memory, QueueSnapshot.peak(load, ofAClaim), QueueSnapshot.average(load, ofAClaim)),
                    ofAShard.calls().stream()
                            .map(calls -> calls.times(load.shards))
                            .toList(),
                    memory.quantumBytes(),
                    ofAClaim,
                    load.newDeadLetters());
        }
    }
}
