package io.headgate.redis.internal.cluster;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A Cluster error reply after which the call was not executed, because the node does not serve the slot of its keys at
 * the moment.
 *
 * @param kind the error code
 * @param address the host and port of the node to use instead, for {@link Kind#MOVED} and {@link Kind#ASK}; else empty.
 *     Without a host, it means the host of the node that replied
 */
public record Redirect(Kind kind, String address) {

    /** The error code of the reply. */
    public enum Kind {
        /** Another node owns the slot. */
        MOVED,
        /** The slot is migrating to another node, which already has these keys. */
        ASK,
        /** The slot is migrating, and the keys of this call are on different nodes. */
        TRYAGAIN,
        /** The node has become a replica. */
        READONLY,
        /** No node serves the slot at the moment. */
        CLUSTERDOWN
    }

    /** Whether the address has a host, and not only a port. */
    public boolean namesHost() {
        return address.lastIndexOf(':') > 0 && !address.startsWith("?");
    }

    /** Returns the redirect that the problem contains, or null. */
    public static @Nullable Redirect of(@Nullable Throwable problem) {
        Throwable cause = problem;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
            return null;
        }
        String[] words = cause.getMessage().split(" ", 4);
        for (Kind kind : Kind.values()) {
            if (words[0].equals(kind.name())) {
                boolean named = kind == Kind.MOVED || kind == Kind.ASK;
                return named && words.length < 3 ? null : new Redirect(kind, named ? words[2] : "");
            }
        }
        return null;
    }

    /** Whether a call failed with TRYAGAIN and was not executed, because only some of its keys have migrated so far. */
    public static boolean isTryAgain(@Nullable Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            Redirect redirect = of(cause);
            if (redirect != null) {
                return redirect.kind == Kind.TRYAGAIN;
            }
        }
        return false;
    }
}
