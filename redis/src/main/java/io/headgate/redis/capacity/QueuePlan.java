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
 * An estimate of what a queue needs in Redis: keys, memory, round trips, commands and bytes on the wire. Computed from the stored
 * layouts and the calls. Immutable.
 *
 * <pre>{@code
 * QueuePlan plan = QueuePlan.builder()
 *         .enqueuedPerSecond(200)
 *         .payloadBytes(1_000)
 *         .delay(Duration.ofMinutes(10))
 *         .workers(4)
 *         .build();
 * double bytes = plan.peakBytes();
 * }</pre>
 *
 * <p>Assumptions: jobs arrive evenly, with one priority, each enqueue call by itself. Attempts fail independently, with the given
 * share. Handling takes 0 to twice the mean. At the peak, jobs were enqueued during a standstill and none was handled, and then workers
 * have claimed as many jobs as they can. Memory is that of the keys in Redis 6.2 to 8.0 with jemalloc, of the build that takes more
 * unless {@link Builder#mallocStats} names one. {@code docs/decisions/0022-capacity-plans.md} describes the models.
 *
 * @param contents what is kept, part by part
 * @param calls what is asked, kind by kind
 * @param quantumBytes how far apart the small sizes are that memory is allocated in: 8 or 16 bytes
 * @param jobsOfAClaim how many jobs a call hands out, on average
 * @param deadLettersPerSecond that come to those that are kept
 */
public record QueuePlan(
        List<QueueContent> contents,
        List<QueueCalls> calls,
        int quantumBytes,
        double jobsOfAClaim,
        double deadLettersPerSecond) {

    /** The most jobs enqueued a second. */
    public static final double MAX_PER_SECOND = 1e9;

    /** The most jobs that wait, and the most dead letters. */
    public static final long MAX_JOBS = 1_000_000_000;

    /** Keeps the lists as they are. */
    public QueuePlan {
        contents = List.copyOf(contents);
        calls = List.copyOf(calls);
    }

    /** Begins a plan. */
    public static Builder builder() {
        return new Builder();
    }

    /** Keys of Redis at the peak. */
    public int peakKeys() {
        return contents.stream().mapToInt(QueueContent::peakKeys).sum();
    }

    /** Memory at the peak, in bytes. */
    public double peakBytes() {
        return sum(contents, QueueContent::peakBytes);
    }

    /** Keys of Redis on average. */
    public int averageKeys() {
        return contents.stream().mapToInt(QueueContent::averageKeys).sum();
    }

    /** Memory on average, in bytes. */
    public double averageBytes() {
        return sum(contents, QueueContent::averageBytes);
    }

    /** Calls a second. */
    public double roundTripsPerSecond() {
        return sum(calls, QueueCalls::roundTripsPerSecond);
    }

    /** Commands a second that Redis runs: script calls, and all that scripts call. */
    public double commandsPerSecond() {
        return sum(calls, QueueCalls::commandsPerSecond);
    }

    /** Bytes a second sent to Redis, without what TCP and TLS add. */
    public double bytesInPerSecond() {
        return sum(calls, QueueCalls::bytesInPerSecond);
    }

    /** Bytes a second sent by Redis, without what TCP and TLS add. */
    public double bytesOutPerSecond() {
        return sum(calls, QueueCalls::bytesOutPerSecond);
    }

    private static <T> double sum(List<T> some, ToDoubleFunction<T> part) {
        return some.stream().mapToDouble(part).sum();
    }

    /** Collects what a plan is made of. Not safe for use by several threads. */
    public static final class Builder {

        private static final Duration LONGEST = JobBounds.MAX_DELAY;

        private final QueueLoad load = new QueueLoad();
        private RedisAllocation memory = new RedisAllocation(RedisAllocation.LARGER_QUANTUM);

        private Builder() {}

        /** What the queue is called; {@code orders} by default. */
        public Builder name(String name) {
            load.name = JobBounds.name(name);
            return this;
        }

        /** What keys begin with; {@code hg} by default. See {@link RedisSettings#withKeyPrefix}. */
        public Builder keyPrefix(String prefix) {
            load.keyPrefix = KeyPrefix.checked(prefix);
            return this;
        }

        /** How many jobs are enqueued a second: more than 0, up to 10^9; 100 by default. */
        public Builder enqueuedPerSecond(double jobs) {
            if (!(jobs > 0 && jobs <= MAX_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "jobs enqueued a second must be more than 0 and at most 1000000000, were " + jobs);
            }
            load.enqueued = jobs;
            return this;
        }

        /** How many jobs are enqueued by one call: 1 to 500; 1 by default. */
        public Builder batch(int jobs) {
            load.batch = (int) JobBounds.inRange("jobs of a call", jobs, 1, JobBounds.MAX_BATCH);
            return this;
        }

        /** How large a payload is: 0 to 1 048 576 bytes; 500 by default. */
        public Builder payloadBytes(int bytes) {
            load.payload = (int) JobBounds.inRange("bytes of a payload", bytes, 0, JobBounds.MAX_PAYLOAD_BYTES);
            return this;
        }

        /** How long all headers of a job are, names and values together: 0 to 16 384 bytes; 0 by default. */
        public Builder headerBytes(int bytes) {
            load.headers = (int) JobBounds.inRange("bytes of headers", bytes, 0, JobBounds.MAX_HEADER_BYTES);
            return this;
        }

        /** Which share of the jobs has a key, and how long that is: 0 to 1, and 1 to 255 bytes; none by default. */
        public Builder keyed(double share, int keyBytes) {
            load.keyed = QueueLoad.share("share of jobs with keys", share);
            load.keyLength = (int) JobBounds.inRange("bytes of a key", keyBytes, 1, JobBounds.MAX_KEY_BYTES);
            return this;
        }

        /** How long after they were enqueued jobs are due, on average: 0 to 3660 days; at once by default. */
        public Builder delay(Duration mean) {
            load.delay = QueueLoad.seconds("delay", JobBounds.delay(mean), Duration.ZERO, LONGEST);
            return this;
        }

        /** How many jobs wait on average, 0 to 10^9, instead of as many as come in the time that they are delayed. */
        public Builder jobsWaiting(long jobs) {
            load.waiting = OptionalDouble.of((double) JobBounds.inRange("jobs that wait", jobs, 0, MAX_JOBS));
            return this;
        }

        /** How many workers there are, 1 to 10 000, and how many jobs each handles at once: 2 and 10 by default. */
        public Builder workers(int workers, int concurrency) {
            load.workers = (int) JobBounds.inRange("workers", workers, 1, 10_000);
            load.concurrency = (int) JobBounds.inRange("concurrency", concurrency, 1, 10_000);
            return this;
        }

        /** How long it takes to handle a job: 0 to 1 day; 100 ms by default. */
        public Builder handling(Duration time) {
            load.handling = QueueLoad.seconds("time of handling", time, Duration.ZERO, Duration.ofDays(1));
            return this;
        }

        /** How long a worker's leases are: 10 ms to 1 day; 30 seconds by default. */
        public Builder lease(Duration length) {
            load.lease = QueueLoad.seconds("lease", JobBounds.lease(length), JobBounds.MIN_LEASE, JobBounds.MAX_LEASE);
            return this;
        }

        /**
         * How long a worker's call takes, there and back and with what the client needs: 1 us to 1 minute; 200 us by default.
         * What comes meanwhile goes with the next one.
         */
        public Builder roundTrip(Duration time) {
            load.roundTrip = QueueLoad.seconds("round trip", time, Duration.ofNanos(1000), Duration.ofMinutes(1));
            return this;
        }

        /**
         * Plans for calls of {@code claim} and {@code ackAll} instead of workers, each of up to so many jobs, 1 to 500, of a
         * queue in which there are always some due.
         */
        public Builder claimedByHand(int jobs) {
            load.claimed = OptionalInt.of((int) JobBounds.inRange("jobs of a claim", jobs, 1, JobBounds.MAX_BATCH));
            return this;
        }

        /**
         * Which share of the attempts fails, 0 to 1, and after how many a job is a dead letter, 1 to 255: none, and 10,
         * by default.
         */
        public Builder failing(double share, int attempts) {
            load.failing = QueueLoad.share("share of attempts that fail", share);
            load.attempts = (int) JobBounds.inRange("attempts", attempts, 1, 255);
            return this;
        }

        /** How long a job waits for its next attempt, on average: 0 to 3660 days; 1 second by default. */
        public Builder backoff(Duration mean) {
            load.backoff = QueueLoad.seconds("backoff", mean, Duration.ZERO, LONGEST);
            return this;
        }

        /**
         * How many bytes are kept of why an attempt failed: 0 to 2000; 100 by default. A worker keeps class, message and top
         * frames, some 1000 bytes and 1300 at most.
         */
        public Builder causeBytes(int bytes) {
            load.cause = (int) JobBounds.inRange("bytes of a cause", bytes, 0, 2000);
            return this;
        }

        /** How many dead letters are kept: 0 to 10^9; none by default. */
        public Builder deadLetters(long kept) {
            load.dead = JobBounds.inRange("dead letters", kept, 0, MAX_JOBS);
            return this;
        }

        /** Which done jobs are kept: none by default. As many as come in their time, or as there may be. */
        public Builder keepDone(KeepDone kept) {
            load.keepDone = Objects.requireNonNull(kept, "kept");
            return this;
        }

        /** Over how many shards the queue is spread: 1 to 64; 1 by default. Jobs come to all of them alike. */
        public Builder shards(int number) {
            load.shards = (int) JobBounds.inRange("shards", number, 1, JobBounds.MAX_SHARDS);
            return this;
        }

        /** For how long jobs are enqueued and none is handled, until the peak: 0 to 3660 days; 10 minutes by default. */
        public Builder standstill(Duration longest) {
            load.standstill = QueueLoad.seconds("standstill", longest, Duration.ZERO, LONGEST);
            return this;
        }

        /**
         * How the Redis that is planned for allocates memory, as its reply to {@code MEMORY MALLOC-STATS} says; a reply that
         * doesn't say changes nothing. By default, small sizes are 16 bytes apart, as in most distributions' Redis.
         */
        public Builder mallocStats(String reply) {
            RedisAllocation.quantumBytes(reply).ifPresent(bytes -> this.memory = new RedisAllocation(bytes));
            return this;
        }

        /**
         * The plan.
         *
         * @throws IllegalArgumentException when more jobs come than all workers handle, so that the queue would grow for ever
         */
        public QueuePlan build() {
            if (load.claimed.isEmpty() && load.handedOut() > load.mostHandled()) {
                throw new IllegalArgumentException(
                        "%.0f attempts a second come, and %d workers of %d handlers make %.0f"
                                .formatted(load.handedOut(), load.workers, load.concurrency, load.mostHandled()));
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
                    load.died());
        }
    }
}
