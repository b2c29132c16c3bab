package io.headgate.spring.internal;

import io.headgate.queues.QueueEngine;

/**
 * The engine of queues that Headgate created for the application, with what it must close together with it.
 *
 * @param description describes where the queues are, without a password
 * @param closing closes what the engine used, after the engine
 */
public record QueueEngineInUse(QueueEngine engine, String description, Runnable closing) implements AutoCloseable {

    @Override
    public void close() {
        try {
            engine.close();
        } finally {
            closing.run();
        }
    }
}
