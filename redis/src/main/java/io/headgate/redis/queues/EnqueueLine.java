package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.redis.internal.ScriptExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way into a queue. One that comes alone is sent at once; those that come while calls are under way join
 * each other in the next one, so that many threads that enqueue one job each cost Redis little more than one that enqueues
 * many. How much may wait here is bounded.
 */
final class EnqueueLine {

    /** The most bytes of jobs that are enqueued together. */
    static final int MAX_BYTES_TOGETHER = 4 << 20;

    private static final int MAX_UNDER_WAY = 2;
    private static final int MAX_JOBS = 500;
    private static final int MAX_BYTES = 256 << 10;
    private static final int MAX_WAITING = 100_000;
    private static final int MAX_WAITING_BYTES = 64 << 20;

    private final QueuePlanner planner;
    private final ScriptExecutor executor;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as all below. */
    private final Deque<Group> waiting = new ArrayDeque<>();

    private int waitingJobs;
    private long waitingBytes;
    private int underWay;

    /** Jobs that are enqueued all or none, and who waits for that. */
    private static final class Group extends CompletableFuture<List<Enqueued>> {

        private final List<EnqueueEntry> jobs;
        private final long bytes;

        Group(List<EnqueueEntry> jobs) {
            this.jobs = jobs;
            this.bytes = jobs.stream().mapToLong(job -> job.record().length).sum();
        }
    }

    EnqueueLine(QueuePlanner planner, ScriptExecutor executor) {
        this.planner = planner;
        this.executor = executor;
    }

    /** Enqueues these jobs, all or none. */
    CompletableFuture<List<Enqueued>> add(List<EnqueueEntry> jobs) {
        Group group = new Group(jobs);
        lock.lock();
        try {
            if (waitingJobs + jobs.size() > MAX_WAITING || waitingBytes + group.bytes > MAX_WAITING_BYTES) {
                group.completeExceptionally(new QueueException(
                        "enqueue",
                        planner.header(),
                        "too many jobs wait to be sent: " + waitingJobs + " with " + waitingBytes
                                + " bytes; nothing was enqueued",
                        false,
                        null));
                return group;
            }
            waiting.add(group);
            waitingJobs += jobs.size();
            waitingBytes += group.bytes;
        } finally {
            lock.unlock();
        }
        sendWhatWaits();
        return group;
    }

    private void sendWhatWaits() {
        for (List<Group> next = next(); !next.isEmpty(); next = next()) {
            send(next);
        }
    }

    /** What the next call is to have; nothing when there is nothing, or enough is under way. */
    private List<Group> next() {
        lock.lock();
        try {
            if (underWay == MAX_UNDER_WAY || waiting.isEmpty()) {
                return List.of();
            }
            underWay++;
            List<Group> next = new ArrayList<>();
            int jobs = 0;
            long bytes = 0;
            for (Group group = waiting.peek(); fits(group, jobs, bytes); group = waiting.peek()) {
                next.add(waiting.remove());
                jobs += group.jobs.size();
                bytes += group.bytes;
            }
            waitingJobs -= jobs;
            waitingBytes -= bytes;
            return next;
        } finally {
            lock.unlock();
        }
    }

    private static boolean fits(@Nullable Group group, int jobs, long bytes) {
        return group != null
                && (jobs == 0 || (jobs + group.jobs.size() <= MAX_JOBS && bytes + group.bytes <= MAX_BYTES));
    }

    private void send(List<Group> groups) {
        List<EnqueueEntry> jobs =
                groups.stream().flatMap(group -> group.jobs.stream()).toList();
        asked(jobs).whenComplete((replies, problem) -> {
            landed();
            int at = 0;
            for (Group group : groups) {
                if (problem != null) {
                    group.completeExceptionally(group == groups.get(0) ? problem : another(problem));
                } else {
                    land(group, replies.subList(at, at + group.jobs.size()));
                    at += group.jobs.size();
                }
            }
        });
    }

    private CompletableFuture<List<EnqueueReply>> asked(List<EnqueueEntry> jobs) {
        try {
            return executor.execute(planner.enqueue(jobs));
        } catch (RuntimeException | Error e) {
            // It must land, or the line stands still.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The same for another caller, since each adds to what it is thrown. */
    private static Throwable another(Throwable problem) {
        if (!(problem instanceof QueueException failure)) {
            return problem;
        }
        String begin = failure.operation() + " " + failure.key() + ": ";
        String message = String.valueOf(failure.getMessage());
        return new QueueException(
                failure.operation(),
                failure.key(),
                message.startsWith(begin) ? message.substring(begin.length()) : message,
                failure.mayBeDone(),
                failure.getCause());
    }

    private void landed() {
        lock.lock();
        try {
            underWay--;
        } finally {
            lock.unlock();
        }
        sendWhatWaits();
    }

    private void land(Group group, List<EnqueueReply> replies) {
        List<Enqueued> enqueued = replies.stream()
                .map(EnqueueReply::enqueued)
                .flatMap(Optional::stream)
                .toList();
        if (enqueued.size() == replies.size()) {
            group.complete(enqueued);
        } else {
            group.completeExceptionally(
                    new QueueFullException(planner.header(), planner.settings().maxJobs(), replies.size()));
        }
    }
}
