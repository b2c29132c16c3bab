package io.headgate.server.http;

import io.headgate.http.Problem;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Bounds the requests that the server lets wait: checks whose answers it holds, and holds that wait for a place. A request
 * enters before it is decided, so that one that is refused is charged nothing. Safe for use by several threads.
 */
public final class WaitingRequests {

    private static final Map<String, String> RETRY_AFTER = Map.of("Retry-After", "1");

    private final int most;
    private final Semaphore free;

    public WaitingRequests(int most) {
        this.most = most;
        this.free = new Semaphore(most);
    }

    /**
     * Enters; each entry needs one {@link #leave}.
     *
     * @param refusal the status of the refusal
     * @throws ProblemException when as many wait as may, with {@code Retry-After}
     */
    public void enter(int refusal) {
        if (!free.tryAcquire()) {
            throw new ProblemException(
                    Problem.of(
                            refusal,
                            "Too Many Requests",
                            "the server has its maximum of " + most
                                    + " waiting requests; nothing was charged; retry the request"),
                    RETRY_AFTER);
        }
    }

    public void leave() {
        free.release();
    }
}
