package io.headgate.bench;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to an application at a fixed rate, whether or not it keeps up, and counts how long each took from the
 * instant it was due: a request that had to wait behind slow ones is as late as its user would find it.
 */
final class OpenLoop {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final WebClient client;
    private final int perSecond;
    private final int users;

    OpenLoop(WebClient client, int perSecond, int users) {
        this.client = client;
        this.perSecond = perSecond;
        this.users = users;
    }

    /** How many requests that time has. */
    int requestsIn(Duration time) {
        return (int) (time.toNanos() / (SECOND_NANOS / perSecond));
    }

    /** When a request is due, from the first. */
    long dueMicros(int request) {
        return request * (SECOND_NANOS / perSecond) / 1000;
    }

    /** Who sends a request: all users, one after the other. */
    String user(int request) {
        return "user" + request % users;
    }

    /** Runs, and returns when all is answered. */
    Tally run(Duration time) {
        Tally tally = new Tally();
        int requests = requestsIn(time);
        CompletableFuture<?>[] answers = new CompletableFuture<?>[requests];
        long start = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            long due = start + dueMicros(i) * 1000;
            waitUntil(due);
            answers[i] = client.get("/hello/" + user(i))
                    .aggregate()
                    .handle((answer, problem) -> land(tally, due, answer, problem));
        }
        CompletableFuture.allOf(answers).join();
        tally.took(System.nanoTime() - start);
        return tally;
    }

    private static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static boolean land(
            Tally tally, long due, @Nullable AggregatedHttpResponse answer, @Nullable Throwable problem) {
        long took = System.nanoTime() - due;
        if (answer == null) {
            tally.add(took, null, problem);
        } else if (answer.status().equals(HttpStatus.OK)) {
            tally.add(took, true, null);
        } else if (answer.status().equals(HttpStatus.TOO_MANY_REQUESTS)) {
            tally.add(took, false, null);
        } else {
            tally.add(took, null, new IllegalStateException("status " + answer.status()));
        }
        return true;
    }
}
