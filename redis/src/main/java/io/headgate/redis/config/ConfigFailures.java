package io.headgate.redis.config;

import io.headgate.redis.internal.connection.Failures;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed calls to a store. */
enum ConfigFailures implements Failures {
    INSTANCE;

    @Override
    public ConfigStoreException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        boolean mayBeWritten = mayBeDone && operation.equals(ConfigScripts.WRITE_OPERATION);
        String effect = mayBeWritten ? "; the version may have been written" : "";
        return new ConfigStoreException(operation + " " + key + ": " + problem + effect, mayBeWritten, cause);
    }

    @Override
    public String notDone(String operation) {
        return operation.equals(ConfigScripts.WRITE_OPERATION) ? "; nothing was written" : "";
    }
}
