package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Health;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The listeners of an engine, which may be added and removed while it runs. An exception of a listener is logged, and reaches neither
 * the other listeners nor the caller. Safe for use by any number of threads.
 */
public final class LimitListeners {

    private static final System.Logger LOG = System.getLogger(LimitListener.class.getName());

    private final ReentrantLock changing = new ReentrantLock();

    /** Never changed in place. */
    private volatile LimitListener[] listeners;

    /** Creates an instance with the first listeners of an engine. A listener that occurs twice is called once. */
    public LimitListeners(List<? extends LimitListener> listeners) {
        this.listeners = listeners.stream().distinct().toArray(LimitListener[]::new);
    }

    /** Adds a listener, unless it was added before. */
    public void add(LimitListener listener) {
        Objects.requireNonNull(listener, "listener");
        change(all -> all.contains(listener) ? all.stream() : Stream.concat(all.stream(), Stream.of(listener)));
    }

    /** Removes a listener; does nothing if it was not added. */
    public void remove(LimitListener listener) {
        Objects.requireNonNull(listener, "listener");
        change(all -> all.stream().filter(one -> !one.equals(listener)));
    }

    private void change(Function<List<LimitListener>, Stream<LimitListener>> how) {
        changing.lock();
        try {
            listeners = how.apply(List.of(listeners)).toArray(LimitListener[]::new);
        } finally {
            changing.unlock();
        }
    }

    /** Whether there is no listener, so that nothing needs to be measured. */
    public boolean isEmpty() {
        return listeners.length == 0;
    }

    /** Calls {@link LimitListener#onDecision} of each listener. */
    @SuppressWarnings("CatchingUnchecked")
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        // Without each, which would create an object for every decision.
        for (LimitListener listener : listeners) {
            try {
                listener.onDecision(policy, attributes, permits, decision, elapsedNanos);
            } catch (Throwable thrown) {
                log(listener, thrown);
            }
        }
    }

    /** Calls {@link LimitListener#onLateDecision} of each listener. */
    public void onLateDecision(Policy policy, Attributes attributes, long permits, Decision decision) {
        each(listener -> listener.onLateDecision(policy, attributes, permits, decision));
    }

    /** Calls {@link LimitListener#onFailure} of each listener. */
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        each(listener -> listener.onFailure(policy, attributes, permits, failure));
    }

    /** Calls {@link LimitListener#onHold} of each listener. */
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        each(listener -> listener.onHold(policy, attributes, permits, hold, elapsedNanos));
    }

    /** Calls {@link LimitListener#onHoldLost} of each listener. */
    public void onHoldLost(InFlightPolicy policy, Attributes attributes, long permits, Hold hold) {
        each(listener -> listener.onHoldLost(policy, attributes, permits, hold));
    }

    /** Calls {@link LimitListener#onHoldFailure} of each listener. */
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        each(listener -> listener.onHoldFailure(policy, attributes, permits, failure));
    }

    /** Calls {@link LimitListener#onHealthChange} of each listener. */
    public void onHealthChange(Health before, Health now, String reason) {
        each(listener -> listener.onHealthChange(before, now, reason));
    }

    @SuppressWarnings("CatchingUnchecked")
    private void each(Consumer<LimitListener> call) {
        for (LimitListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable thrown) {
                log(listener, thrown);
            }
        }
    }

    private static void log(LimitListener listener, Throwable thrown) {
        log(LOG, "listener " + listener.getClass().getName(), thrown);
    }

    /**
     * Runs an action, and logs whatever it throws.
     *
     * @param log the logger of the public class that the action belongs to
     * @param what the name of the action, as the subject of the message
     */
    @SuppressWarnings("CatchingUnchecked")
    public static void run(System.Logger log, String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            log(log, what, thrown);
        }
    }

    private static void log(System.Logger log, String what, Throwable thrown) {
        log.log(Level.WARNING, what + " threw", thrown);
    }
}
