package io.headgate.spring.annotation;

import io.headgate.spring.annotation.Admission.Admitted;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call, from its decision to its end. It may end before the method starts, for example because a subscriber cancels: then
 * the method never runs, and nothing stays held or charged. Safe for use by several threads.
 */
final class Attempt {

    private State state = State.WAITING;
    private Admitted admitted = Admission.FREE;
    private @Nullable CompletableFuture<?> wait;

    private enum State {
        WAITING,
        RUNNING,
        ENDED
    }

    /** Notes a wait, which is cancelled if the call ends before. */
    synchronized <T> CompletableFuture<T> waiting(CompletableFuture<T> future) {
        if (state == State.ENDED) {
            future.cancel(true);
        } else {
            wait = future;
        }
        return future;
    }

    /**
     * Notes that the call is admitted.
     *
     * @throws CancellationException if it has already ended; nothing stays held or charged
     */
    Admitted admitted(Admitted now) {
        synchronized (this) {
            if (state != State.ENDED) {
                admitted = now;
                return now;
            }
        }
        now.undo();
        throw new CancellationException("the call was cancelled before it was admitted");
    }

    /** Starts the method. Returns false if the call has ended: then the method must not run. */
    synchronized boolean start() {
        if (state == State.ENDED) {
            return false;
        }
        state = State.RUNNING;
        return true;
    }

    /** Ends the call, unless its method runs. */
    void endUnlessRunning() {
        end(false);
    }

    /** Ends the call: releases what it holds if its method ran, and otherwise also refunds what was charged. Only the first end counts. */
    void end() {
        end(true);
    }

    private void end(boolean running) {
        CompletableFuture<?> pending;
        Admitted held;
        boolean ran;
        synchronized (this) {
            ran = state == State.RUNNING;
            if (state == State.ENDED || (ran && !running)) {
                return;
            }
            state = State.ENDED;
            pending = wait;
            held = admitted;
        }
        if (pending != null) {
            pending.cancel(true);
        }
        if (ran) {
            held.release();
        } else {
            held.undo();
        }
    }
}
