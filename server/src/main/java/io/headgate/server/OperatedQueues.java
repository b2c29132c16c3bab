package io.headgate.server;

import io.headgate.queues.Codec;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Queues;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Queues as an operator sees them: payloads are bytes, and bounds as wide as they may be, since the narrower are the application's. */
final class OperatedQueues {

    /** The most bytes of a payload. */
    static final int MAX_PAYLOAD_BYTES = 1 << 20;

    /** The most bytes of all payloads that are enqueued in one call. */
    static final int MAX_BATCH_BYTES = 4 << 20;

    /** The most jobs that one call enqueues, shows, brings back or removes. */
    static final int MAX_BATCH = 500;

    private OperatedQueues() {}

    /**
     * A queue by its name.
     *
     * @throws IllegalArgumentException when no queue can be called so; it says what is allowed
     */
    static Queue<byte[]> named(Queues queues, String name) {
        return queues.queue(settings(name), Codec.bytes());
    }

    static QueueSettings settings(String name) {
        return QueueSettings.of(name).withMaxPayloadBytes(MAX_PAYLOAD_BYTES);
    }

    /**
     * A queue that is there.
     *
     * @throws StartException when it is not
     */
    static Queue<byte[]> existing(Queues queues, String name) {
        return named(queues, name);
    }

    /**
     * Waits for what was asked without blocking; each call of an engine ends within its time-out.
     *
     * @throws RuntimeException what it failed of
     */
    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
