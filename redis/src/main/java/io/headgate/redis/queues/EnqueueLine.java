package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.WithdrawableFuture;
import io.headgate.redis.writes.WriteResult;
import io.headgate.redis.writes.Writes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way into a queue. One that comes alone is sent at once; those that come while a call is under way join
 * each other in the next one, so that many threads that enqueue one job each cost Redis little more than one that enqueues
 * many, and all stay in the order in which they came. How much may wait here is bounded.
 */
final class EnqueueLine {

    private static final int MAX_JOBS = 500;

    /** Of those that are looked at one by one. */
    private static final int MAX_JOBS_NOT_PLAIN = 100;

    private static final int MAX_BYTES = 256 << 10;
    private static final int MAX_WAITING = 100_000;
    private static final int MAX_WAITING_BYTES = 64 << 20;

    private final QueuePlanner planner;
    private final Writes writes;
    private final QueueEvents events;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as all below. */
    private final Deque<Waiter> waiting = new ArrayDeque<>();

    private int waitingJobs;
    private long waitingBytes;
    private boolean underWay;

    /** Whether somebody is about to look for the next call, so that calls that end at once do not nest. */
    private boolean sending;

    /** Jobs, and who waits for them; they can be withdrawn as long as they are in line. */
    private final class Waiter extends WithdrawableFuture<List<Enqueued>> {

        private final EnqueueGroup group;

        /** Guarded by the lock, as is below. */
        private boolean isSent;

        private boolean isWithdrawn;

        Waiter(EnqueueGroup group) {
            this.group = group;
        }

        @Override
        public boolean withdraw() {
            return EnqueueLine.this.withdraw(this);
        }
    }

    EnqueueLine(QueuePlanner planner, Writes writes, QueueEvents events) {
        this.planner = planner;
        this.writes = writes;
        this.events = events;
    }

    /** Enqueues these jobs, all or none. */
    CompletableFuture<List<Enqueued>> add(EnqueueGroup group) {
        Waiter waiter = new Waiter(group);
        Optional<QueueException> noRoom = lineUp(waiter);
        if (noRoom.isPresent()) {
            events.failed(noRoom.get());
            waiter.completeExceptionally(noRoom.get());
            return waiter;
        }
        sendWhatWaits();
        return waiter;
    }

    private Optional<QueueException> lineUp(Waiter waiter) {
        EnqueueGroup group = waiter.group;
        lock.lock();
        try {
            if (waitingJobs + group.jobs().size() > MAX_WAITING || waitingBytes + group.bytes() > MAX_WAITING_BYTES) {
                return Optional.of(new QueueException(
                        "enqueue",
                        planner.header(),
                        "too many jobs wait to be sent: " + waitingJobs + " with " + waitingBytes
                                + " bytes; nothing was enqueued",
                        false,
                        null));
            }
            waiting.add(waiter);
            waitingJobs += group.jobs().size();
            waitingBytes += group.bytes();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private boolean withdraw(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.isSent || waiter.isWithdrawn) {
                return waiter.isWithdrawn;
            }
            waiter.isWithdrawn = true;
            waitingJobs -= waiter.group.jobs().size();
            waitingBytes -= waiter.group.bytes();
        } finally {
            lock.unlock();
        }
        QueueException failure = new QueueException(
                "enqueue", planner.header(), "nobody waits for it any more; nothing was enqueued", false, null);
        events.failed(failure);
        waiter.completeExceptionally(failure);
        return true;
    }

    /** The first in line that was not withdrawn. */
    private @Nullable Waiter first() {
        while (!waiting.isEmpty() && waiting.element().isWithdrawn) {
            waiting.remove();
        }
        return waiting.peek();
    }

    private void sendWhatWaits() {
        for (List<Waiter> next = next(false); !next.isEmpty(); next = next(true)) {
            send(next);
        }
    }

    /**
     * What the next call is to have: all of one sort. Nothing when there is nothing, or one is under way, or somebody else
     * is sending.
     */
    private List<Waiter> next(boolean isSending) {
        lock.lock();
        try {
            List<Waiter> next = new ArrayList<>();
            if (sending && !isSending) {
                return next;
            }
            Waiter first = first();
            sending = !underWay && first != null;
            if (underWay || first == null) {
                return next;
            }
            underWay = true;
            Optional<Priority> plain = first.group.plain();
            int jobs = 0;
            long bytes = 0;
            for (Waiter waiter = first; fits(waiter, plain, jobs, bytes); waiter = first()) {
                Waiter taken = waiting.remove();
                taken.isSent = true;
                next.add(taken);
                jobs += taken.group.jobs().size();
                bytes += taken.group.bytes();
            }
            waitingJobs -= jobs;
            waitingBytes -= bytes;
            return next;
        } finally {
            lock.unlock();
        }
    }

    private static boolean fits(@Nullable Waiter waiter, Optional<Priority> plain, int jobs, long bytes) {
        if (waiter == null || !waiter.group.plain().equals(plain)) {
            return false;
        }
        EnqueueGroup group = waiter.group;
        int most = plain.isPresent() ? MAX_JOBS : MAX_JOBS_NOT_PLAIN;
        return jobs == 0 || (jobs + group.jobs().size() <= most && bytes + group.bytes() <= MAX_BYTES);
    }

    private void send(List<Waiter> waiters) {
        List<EnqueueGroup> groups = waiters.stream().map(waiter -> waiter.group).toList();
        asked(groups).whenComplete((written, problem) -> {
            landed();
            if (problem == null) {
                tell(groups, written.reply());
            }
            for (int i = 0; i < waiters.size(); i++) {
                if (problem != null) {
                    waiters.get(i).completeExceptionally(i == 0 ? problem : another(problem));
                } else {
                    land(waiters.get(i), written.reply().get(i), written.unconfirmed());
                }
            }
        });
    }

    private void tell(List<EnqueueGroup> groups, List<Optional<List<Enqueued>>> answer) {
        if (events.hasNoListeners()) {
            return;
        }
        int full = 0;
        for (int i = 0; i < groups.size(); i++) {
            full += answer.get(i).isPresent() ? 0 : groups.get(i).jobs().size();
        }
        events.enqueued(
                answer.stream().flatMap(Optional::stream).flatMap(List::stream).toList(), full);
    }

    private CompletableFuture<WriteResult<List<Optional<List<Enqueued>>>>> asked(List<EnqueueGroup> groups) {
        try {
            return writes.write(planner.enqueue(groups));
        } catch (RuntimeException | Error e) {
            // It must land, or the line stands still.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Copies an exception for another caller, because each caller adds its own stack to the exception that it gets. */
    private static Throwable another(Throwable problem) {
        if (problem instanceof QueueException failure) {
            return new QueueException(
                    failure.operation(), failure.key(), failure.problem(), failure.mayBeDone(), failure.getCause());
        }
        // The exception of a closed engine.
        return problem.getClass() == IllegalStateException.class
                ? new IllegalStateException(problem.getMessage(), problem.getCause())
                : problem;
    }

    private void landed() {
        lock.lock();
        try {
            underWay = false;
        } finally {
            lock.unlock();
        }
        sendWhatWaits();
    }

    private void land(Waiter waiter, Optional<List<Enqueued>> enqueued, Optional<QueueException> doubt) {
        if (enqueued.isPresent() && doubt.isPresent()) {
            waiter.completeExceptionally(another(doubt.get()));
        } else if (enqueued.isPresent()) {
            waiter.complete(enqueued.get());
        } else {
            int given = waiter.group.jobs().size();
            waiter.completeExceptionally(
                    new QueueFullException(planner.header(), planner.settings().maxJobs(), given));
        }
    }
}
