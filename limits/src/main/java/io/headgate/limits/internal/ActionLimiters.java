package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The limiters of {@link LimitEngine#allow}: one for each limit, so that calls of all actions and users with the same limit are
 * batched. All of them have the same policy name and dimensions, so a call with another limit continues from the same count.
 */
public final class ActionLimiters {

    /** The dimension of the action. */
    private static final String ACTION = "action";

    /** The most limiters that are kept. A further one clears them all, which loses no count: a limiter is created again when needed. */
    static final int MOST = 256;

    private final Function<Policy, Limiter> limiters;
    private final Map<Limit, Limiter> byLimit = new ConcurrentHashMap<>();

    /** Creates an instance that creates limiters with this function of the engine. */
    public ActionLimiters(Function<Policy, Limiter> limiters) {
        this.limiters = limiters;
    }

    /** Requests one permit for an action of a user; see {@link LimitEngine#allow}. */
    public boolean allow(String user, String action, long permits, Duration window) {
        Attributes request =
                Attributes.of(Map.of(ACTION, Bounds.id("action", action), Attributes.USER, Bounds.id("user", user)));
        return limiter(Limit.slidingWindow(permits, window))
                .tryAcquire(PermitRequest.of(request))
                .allowed();
    }

    private Limiter limiter(Limit limit) {
        Limiter known = byLimit.get(limit);
        if (known != null) {
            return known;
        }
        if (byLimit.size() >= MOST) {
            byLimit.clear();
        }
        return byLimit.computeIfAbsent(
                limit, any -> limiters.apply(Policy.of(LimitEngine.ALLOW_POLICY, limit, ACTION, Attributes.USER)));
    }

    int size() {
        return byLimit.size();
    }
}
