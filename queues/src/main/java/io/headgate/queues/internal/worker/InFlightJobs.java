package io.headgate.queues.internal.worker;

import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.worker.ClaimedJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a worker has claimed and not yet settled: a buffer of jobs that wait for a handler, and the jobs that handlers run.
 * Not safe for use by several threads: the worker's lock guards it.
 *
 * <p><b>Prefetch.</b> The worker claims as many jobs as it can handle concurrently, plus the number that it handles in a tenth of a
 * second, from an exponentially weighted moving average. So no job waits long in one process while another one is idle.
 *
 * <p><b>Suspects.</b> A job whose lease has expired more than once may be a poison pill that kills its process. Such a suspect is
 * handled alone, so that only its own lease expires if the process crashes: nothing else is claimed, all other jobs are settled first,
 * and further suspects are handed back. A suspect does not wait for settlements of a failing shard, because that may take hours.
 *
 * @param <T> the type of the payload
 */
final class InFlightJobs<T> {

    /** Up to this number of expired leases, a job is no suspect: the worker may have crashed for another reason. */
    private static final int MAX_ACCIDENTAL_CRASHES = 1;

    private static final double PREFETCH_SECONDS = 0.1;
    private static final double AVERAGE_WEIGHT = 0.3;
    /** How long jobs are counted, at least, to measure how many are handled in a second. */
    private static final long MIN_SPAN_NANOS = 10_000_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final int concurrency;
    private final long leaseNanos;
    private final Deque<InFlightJob<T>> buffer = new ArrayDeque<>();
    private final Set<InFlightJob<T>> all = new LinkedHashSet<>();
    private int running;
    private @Nullable InFlightJob<T> suspect;

    private double handledPerSecond;
    private long handledInSpan;
    private long spanStartNanos;

    InFlightJobs(int concurrency, long leaseNanos, long nowNanos) {
        this.concurrency = concurrency;
        this.leaseNanos = leaseNanos;
        this.spanStartNanos = nowNanos;
    }

    /**
     * A claimed job and the state of its lease.
     *
     * @param <T> the type of the payload
     */
    static final class InFlightJob<T> {

        private final ClaimedJob<T> claimed;
        private long expiresAtNanos;
        private long renewAtNanos;
        private boolean started;
        private boolean settled;

        InFlightJob(ClaimedJob<T> claimed) {
            this.claimed = claimed;
        }

        ClaimedJob<T> claimed() {
            return claimed;
        }

        /** Whether the settlement of the job is determined, or its lease lost. Later outcomes are ignored. */
        boolean isSettled() {
            return settled;
        }

        boolean isExpired(long nowNanos) {
            return expiresAtNanos - nowNanos <= 0;
        }
    }

    /** Adds a job that was claimed by a call sent at {@code sentNanos}. Returns false for a second suspect, which must be handed back. */
    boolean add(InFlightJob<T> job, long sentNanos) {
        leased(job, sentNanos);
        if (job.claimed.crashes() > MAX_ACCIDENTAL_CRASHES) {
            if (suspect != null) {
                return false;
            }
            suspect = job;
        } else {
            buffer.add(job);
        }
        all.add(job);
        return true;
    }

    /** Records that a call sent at {@code sentNanos} has claimed the job or extended its lease. The lease begins then or later. */
    void leased(InFlightJob<T> job, long sentNanos) {
        job.expiresAtNanos = sentNanos + leaseNanos;
        job.renewAtNanos = sentNanos + leaseNanos / 3;
    }

    /** Removes a job that is settled or whose lease is lost. */
    void remove(InFlightJob<T> job) {
        job.settled = true;
        all.remove(job);
        if (!job.started) {
            buffer.remove(job);
        }
        if (suspect == job) {
            suspect = null;
        }
    }

    /** Takes the next job for a handler that has just finished one; the caller checks its lease. */
    @Nullable
    InFlightJob<T> next() {
        return buffer.poll();
    }

    /**
     * Takes a job for one more handler; null if no more may run or no job waits. The caller checks the lease of the job.
     *
     * @param othersSettled whether every other job is settled, so that a suspect may start
     */
    @Nullable
    InFlightJob<T> nextToStart(boolean othersSettled) {
        if (running >= concurrency) {
            return null;
        }
        InFlightJob<T> next = buffer.poll();
        if (next == null && othersSettled && running == 0 && suspect != null && !suspect.started) {
            next = suspect;
        }
        return next;
    }

    void handlerStarted(InFlightJob<T> job) {
        job.started = true;
        running++;
    }

    void handlerEnded() {
        running--;
        handledInSpan++;
    }

    boolean hasRunningHandlers() {
        return running > 0;
    }

    /** Returns how many more jobs to claim now. */
    int capacity(long nowNanos) {
        int target = target(nowNanos);
        // While more than half of the target is in the buffer, nothing is claimed, so that each claim takes several
        // jobs.
        int free = suspect != null || buffer.size() > target / 2 ? 0 : Math.max(0, target - buffer.size() - running);
        return Math.min(JobBounds.MAX_BATCH, free);
    }

    /** Returns how many jobs should be in flight. */
    private int target(long nowNanos) {
        long span = nowNanos - spanStartNanos;
        if (span >= MIN_SPAN_NANOS) {
            double perSecond = handledInSpan / (span / NANOS_PER_SECOND);
            handledPerSecond = handledPerSecond == 0
                    ? perSecond
                    : handledPerSecond + AVERAGE_WEIGHT * (perSecond - handledPerSecond);
            handledInSpan = 0;
            spanStartNanos = nowNanos;
        }
        double prefetch = handledPerSecond * PREFETCH_SECONDS;
        return Math.max(concurrency, (int) Math.min(JobBounds.MAX_BATCH, concurrency + prefetch));
    }

    /** Returns up to {@code max} jobs whose leases are due for renewal, except jobs of excluded shards. */
    List<InFlightJob<T>> dueForRenewal(long nowNanos, int max, Set<Integer> excludedShards) {
        List<InFlightJob<T>> due = new ArrayList<>();
        for (InFlightJob<T> job : all) {
            if (due.size() < max && job.renewAtNanos - nowNanos <= 0 && !excludedShards.contains(job.claimed.shard())) {
                due.add(job);
            }
        }
        return due;
    }

    /** Returns the time of the first renewal of a lease, except of excluded shards, but at most {@code atNanos}. */
    long firstRenewal(long atNanos, Set<Integer> excludedShards) {
        long first = atNanos;
        for (InFlightJob<T> job : all) {
            boolean isFirst = job.renewAtNanos - first < 0 && !excludedShards.contains(job.claimed.shard());
            first = isFirst ? job.renewAtNanos : first;
        }
        return first;
    }

    /** Returns the jobs that no handler has started. */
    List<InFlightJob<T>> notStarted() {
        return all.stream().filter(job -> !job.started).toList();
    }

    List<InFlightJob<T>> all() {
        return List.copyOf(all);
    }
}
