package io.headgate.redis.audit;

import io.headgate.redis.internal.connection.Failures;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed calls to the audit log. */
enum AuditFailures implements Failures {
    INSTANCE;

    static final String APPEND = "append";

    @Override
    public AuditLogException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        String effect = mayBeDone && operation.equals(APPEND) ? "; the record may have been written" : "";
        return new AuditLogException(operation + " " + key + ": " + problem + effect, cause);
    }

    @Override
    public String notDone(String operation) {
        return operation.equals(APPEND) ? "; nothing was written" : "";
    }
}
