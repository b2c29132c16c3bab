package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.DecisionListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.hotkeys.HotKeys;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Calls the listeners of an engine; what one of them throws is logged and stops neither the others nor the caller. Those that
 * count hot keys are told without a {@link Request}, as they look at few.
 */
public final class DecisionListeners {

    /** Nobody listens. */
    public static final DecisionListeners NONE = new DecisionListeners(List.of());

    private static final System.Logger LOG = System.getLogger(DecisionListener.class.getName());

    private final HotKeys[] counting;
    private final DecisionListener[] others;

    public DecisionListeners(List<DecisionListener> listeners) {
        this.counting = listeners.stream()
                .filter(HotKeys.class::isInstance)
                .map(HotKeys.class::cast)
                .toArray(HotKeys[]::new);
        this.others = listeners.stream()
                .filter(listener -> !(listener instanceof HotKeys))
                .toArray(DecisionListener[]::new);
    }

    /** Whether nobody listens. */
    public boolean isEmpty() {
        return counting.length == 0 && others.length == 0;
    }

    /** A request was decided. */
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision) {
        for (HotKeys hot : counting) {
            try {
                hot.count(policy, attributes, decision);
            } catch (RuntimeException e) {
                log(hot, e);
            }
        }
        if (others.length > 0) {
            Request request = new Request(policy, attributes, permits);
            for (DecisionListener listener : others) {
                tell(listener, request, decision);
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked")
    private static void tell(DecisionListener listener, Request request, Decision decision) {
        try {
            listener.onDecision(request, decision);
        } catch (Throwable thrown) {
            log(listener, thrown);
        }
    }

    /** A request was not decided. */
    @SuppressWarnings("CatchingUnchecked")
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        for (DecisionListener listener : others) {
            try {
                listener.onFailure(new Request(policy, attributes, permits), failure);
            } catch (Throwable thrown) {
                log(listener, thrown);
            }
        }
    }

    private static void log(DecisionListener listener, Throwable thrown) {
        LOG.log(Level.WARNING, "listener " + listener.getClass().getName() + " threw", thrown);
    }
}
