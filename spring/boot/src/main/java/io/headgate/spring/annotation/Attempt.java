package io.headgate.spring.annotation;

import io.headgate.spring.annotation.Admission.Admitted;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call, from its decision to its end. It may end at any time, for example because a subscriber cancels: then nothing stays
 * held. Safe for use by several threads.
 */
final class Attempt {

    private boolean ended;
    private Admitted admitted = Admission.FREE;
    private @Nullable CompletableFuture<?> wait;

    /** Notes a wait, which is cancelled if the call ends before. */
    synchronized <T> CompletableFuture<T> waiting(CompletableFuture<T> future) {
        if (ended) {
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
            if (!ended) {
                admitted = now;
                return now;
            }
        }
        now.undo();
        throw new CancellationException("the call was cancelled before it was admitted");
    }

    /** Releases what the call holds, or ends its wait. A second call does nothing. */
    void end() {
        CompletableFuture<?> pending;
        Admitted held;
        synchronized (this) {
            ended = true;
            pending = wait;
            wait = null;
            held = admitted;
        }
        if (pending != null) {
            pending.cancel(true);
        }
        held.release();
    }
}
