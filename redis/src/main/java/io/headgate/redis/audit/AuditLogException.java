package io.headgate.redis.audit;

import org.jspecify.annotations.Nullable;

/** Thrown when a call to a {@link RedisAuditLog} fails: Redis cannot be reached, does not reply in time, or rejects the call. */
public final class AuditLogException extends RuntimeException {

    private static final long serialVersionUID = 1;

    AuditLogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
