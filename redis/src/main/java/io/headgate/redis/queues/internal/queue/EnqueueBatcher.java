package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.script.QueuedCall;
import io.headgate.redis.queues.internal.durability.WriteResult;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches concurrent enqueue requests of one queue. A request is sent immediately when no call is in flight; requests that arrive while a
 * call is in flight are sent together in the next one. So 100 threads that enqueue one job each cost Redis little more than one thread
 * that enqueues 100 jobs. Requests are sent in the order of their arrival, and the number and size of waiting requests are bounded. Safe
 * for use by several threads.
 */
final class EnqueueBatcher {

    private static final int MAX_JOBS = 500;

    /** The bound for jobs that the script processes one by one. */
    private static final int MAX_JOBS_NOT_PLAIN = 100;

    private static final int MAX_BYTES = 256 << 10;
    private static final int MAX_WAITING = 100_000;
    private static final int MAX_WAITING_BYTES = 64 << 20;

    private final QueuePlanner planner;
    private final Writes writes;
    private final QueueEvents events;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as are the fields below. */
    private final Deque<Request> waiting = new ArrayDeque<>();

    private int waitingJobs;
    private long waitingBytes;
    private boolean inFlight;

    /** Whether a thread is in the sending loop: calls that complete immediately then do not recurse. */
    private boolean sending;

    /** An enqueue request, which can be cancelled until it is sent. */
    private final class Request extends QueuedCall<List<Enqueued>> {

        private final EnqueueGroup group;

        /** Guarded by the lock, as is the field below. */
        private boolean isSent;

        private boolean cancelled;

        Request(EnqueueGroup group) {
            this.group = group;
        }

        @Override
        public boolean cancelUnsent() {
            return EnqueueBatcher.this.cancel(this);
        }
    }

    EnqueueBatcher(QueuePlanner planner, Writes writes, QueueEvents events) {
        this.planner = planner;
        this.writes = writes;
        this.events = events;
    }

    /** Enqueues the jobs of a group, all or none. */
    CompletableFuture<List<Enqueued>> add(EnqueueGroup group) {
        Request request = new Request(group);
        Optional<QueueException> rejected = addOrReject(request);
        if (rejected.isPresent()) {
            events.failed(rejected.get());
            request.completeExceptionally(rejected.get());
            return request;
        }
        sendWaiting();
        return request;
    }

    /** Adds the request to the waiting ones; returns the exception with which it is rejected if too many wait. */
    private Optional<QueueException> addOrReject(Request request) {
        EnqueueGroup group = request.group;
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
            waiting.add(request);
            waitingJobs += group.jobs().size();
            waitingBytes += group.bytes();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private boolean cancel(Request request) {
        lock.lock();
        try {
            if (request.isSent || request.cancelled) {
                return request.cancelled;
            }
            request.cancelled = true;
            waitingJobs -= request.group.jobs().size();
            waitingBytes -= request.group.bytes();
        } finally {
            lock.unlock();
        }
        QueueException failure = new QueueException(
                "enqueue",
                planner.header(),
                "the call was cancelled or timed out before it was sent; nothing was enqueued",
                false,
                null);
        events.failed(failure);
        request.completeExceptionally(failure);
        return true;
    }

    /** Returns the first request that was not cancelled, or null. */
    private @Nullable Request first() {
        while (!waiting.isEmpty() && waiting.element().cancelled) {
            waiting.remove();
        }
        return waiting.peek();
    }

    private void sendWaiting() {
        for (List<Request> next = next(false); !next.isEmpty(); next = next(true)) {
            send(next);
        }
    }

    /**
     * Takes the requests of the next call, which all need the same script. Returns an empty list when no request waits, a call is in
     * flight, or another thread is in the sending loop.
     *
     * @param isSending whether the caller is the thread in the sending loop
     */
    private List<Request> next(boolean isSending) {
        lock.lock();
        try {
            List<Request> next = new ArrayList<>();
            if (sending && !isSending) {
                return next;
            }
            Request first = first();
            sending = !inFlight && first != null;
            if (inFlight || first == null) {
                return next;
            }
            inFlight = true;
            Optional<EnqueueGroup.Lane> plain = first.group.plain();
            int jobs = 0;
            long bytes = 0;
            for (Request request = first; fits(request, plain, jobs, bytes); request = first()) {
                Request taken = waiting.remove();
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

    private static boolean fits(@Nullable Request request, Optional<EnqueueGroup.Lane> plain, int jobs, long bytes) {
        if (request == null || !request.group.plain().equals(plain)) {
            return false;
        }
        EnqueueGroup group = request.group;
        int max = plain.isPresent() ? MAX_JOBS : MAX_JOBS_NOT_PLAIN;
        return jobs == 0 || (jobs + group.jobs().size() <= max && bytes + group.bytes() <= MAX_BYTES);
    }

    private void send(List<Request> requests) {
        List<EnqueueGroup> groups =
                requests.stream().map(request -> request.group).toList();
        write(groups).whenComplete((written, problem) -> {
            // Sends the next call first, so that it does not wait for listeners and callers.
            callEnded();
            if (problem == null) {
                publish(groups, written.reply());
            }
            for (int i = 0; i < requests.size(); i++) {
                if (problem != null) {
                    requests.get(i).completeExceptionally(i == 0 ? problem : copyOf(problem));
                } else {
                    complete(requests.get(i), written.reply().get(i), written.unconfirmed());
                }
            }
        });
    }

    private void publish(List<EnqueueGroup> groups, List<Optional<List<Enqueued>>> outcomes) {
        if (events.hasNoListeners()) {
            return;
        }
        int full = 0;
        for (int i = 0; i < groups.size(); i++) {
            full += outcomes.get(i).isPresent() ? 0 : groups.get(i).jobs().size();
        }
        events.enqueued(
                outcomes.stream()
                        .flatMap(Optional::stream)
                        .flatMap(List::stream)
                        .toList(),
                full);
    }

    private CompletableFuture<WriteResult<List<Optional<List<Enqueued>>>>> write(List<EnqueueGroup> groups) {
        try {
            return writes.write(planner.enqueue(groups));
        } catch (RuntimeException | Error e) {
            // The call must complete: every later request waits for it.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Copies an exception for another caller, because each caller adds its own stack to the exception that it gets. */
    private static Throwable copyOf(Throwable problem) {
        if (problem instanceof QueueException failure) {
            return new QueueException(
                    failure.operation(), failure.key(), failure.problem(), failure.mayBeDone(), failure.getCause());
        }
        // The exception of a closed engine.
        return problem.getClass() == IllegalStateException.class
                ? new IllegalStateException(problem.getMessage(), problem.getCause())
                : problem;
    }

    private void callEnded() {
        lock.lock();
        try {
            inFlight = false;
        } finally {
            lock.unlock();
        }
        sendWaiting();
    }

    private void complete(Request request, Optional<List<Enqueued>> enqueued, Optional<QueueException> unconfirmed) {
        if (enqueued.isPresent() && unconfirmed.isPresent()) {
            request.completeExceptionally(copyOf(unconfirmed.get()));
        } else if (enqueued.isPresent()) {
            request.complete(enqueued.get());
        } else {
            int given = request.group.jobs().size();
            request.completeExceptionally(
                    new QueueFullException(planner.header(), planner.settings().maxJobs(), given));
        }
    }
}
