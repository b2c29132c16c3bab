package io.headgate.redis.internal.cluster;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What a node of a Cluster answers that does nothing, as the keys' slot is not there, or not yet, or not any more.
 *
 * @param kind what it says
 * @param address the node to ask instead, as host and port, for {@link Kind#MOVED} and {@link Kind#ASK}; else empty. Without a host
 *     it is that of the node that answers
 */
public record Redirect(Kind kind, String address) {

    /** What it says. */
    public enum Kind {
        /** Another node has the slot. */
        MOVED,
        /** The slot is on its way to another node, and these keys are there already. */
        ASK,
        /** The slot is on its way, and some of these keys are not yet, or not any more, where the others are. */
        TRYAGAIN,
        /** It is a replica by now. */
        READONLY,
        /** Nobody has the slot just now. */
        CLUSTERDOWN
    }

    /** Whether a host is named, and not only the port of one that is known. */
    public boolean namesHost() {
        return address.lastIndexOf(':') > 0 && !address.startsWith("?");
    }

    /** What the problem is, if it is one of these. */
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

    /** Whether a call failed, and did nothing, as only a part of its keys has moved so far. */
    public static boolean isToBeDivided(@Nullable Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            Redirect redirect = of(cause);
            if (redirect != null) {
                return redirect.kind == Kind.TRYAGAIN;
            }
        }
        return false;
    }
}
