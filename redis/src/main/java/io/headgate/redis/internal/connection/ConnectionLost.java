package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The cause of what a call failed with whose reply was lost with the connection, or that was not sent as there was none. */
public final class ConnectionLost extends RuntimeException {

    private static final long serialVersionUID = 1;

    public ConnectionLost() {
        super("the connection broke", null, false, false);
    }

    /** Whether that is the cause: it is this, or what the client library says of it. */
    public static boolean is(@Nullable Throwable cause) {
        return cause instanceof ConnectionLost
                || cause instanceof IOException
                || (cause instanceof RedisException
                        && !(cause instanceof RedisCommandTimeoutException)
                        && !(cause instanceof RedisCommandExecutionException));
    }
}
