package io.headgate.spring.internal;

import io.headgate.limits.LimitEngine;

/**
 * The engine that Headgate created for the application, with what it must close together with it.
 *
 * @param description describes where limits are counted, without a password
 * @param closing closes what the engine used, after the engine
 */
public record EngineInUse(LimitEngine engine, String description, Runnable closing) implements AutoCloseable {

    @Override
    public void close() {
        try {
            engine.close();
        } finally {
            closing.run();
        }
    }
}
