package io.headgate.server.http;

import io.headgate.http.Problem;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Bounds the number of requests that may wait: checks of policies with a shaper, and requests for holds that wait for permits. A request
 * enters before it is decided, so that a rejected one is not charged. Safe for use by several threads.
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
     * @param refusal the status of a rejection
     * @throws ProblemException with {@code Retry-After} if the maximum number of requests is already waiting
     */
    public void enter(int refusal) {
        if (!free.tryAcquire()) {
            throw new ProblemException(
                    Problem.of(
                            refusal,
                            "the server has its maximum of " + most
                                    + " waiting requests; nothing was charged; retry the request"),
                    RETRY_AFTER);
        }
    }

    public void leave() {
        free.release();
    }
}
