package io.headgate.redis.config;

import org.jspecify.annotations.Nullable;

/** Thrown when a call to a {@link RedisConfigStore} fails: Redis cannot be reached, does not reply in time, or rejects the call. */
public final class ConfigStoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean mayBeWritten;

    ConfigStoreException(String message, boolean mayBeWritten, @Nullable Throwable cause) {
        super(message, cause);
        this.mayBeWritten = mayBeWritten;
    }

    /** Whether the version may have been written nevertheless. False for calls that only read. */
    public boolean mayBeWritten() {
        return mayBeWritten;
    }
}
