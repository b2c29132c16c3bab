package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.CounterTables;
import io.headgate.limits.internal.DecisionListeners;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The engine in memory: the same limits, exact within this JVM, without Redis. For tests, and for a single node.
 *
 * <p>It keeps up to {@link Builder#maxKeysPerRule} counts a rule. Counts that no longer matter make room first; if all
 * of them do, a new key displaces one that would soon be whole again, whose count then starts anew.
 */
public final class InMemoryLimits implements Limits {

    private final CounterTables counters;

    private InMemoryLimits(Builder builder) {
        this.counters =
                new CounterTables(builder.time, builder.maxKeysPerRule, new DecisionListeners(builder.listeners));
    }

    /** An engine with the clock of this process and a million keys a rule. */
    public static InMemoryLimits create() {
        return builder().build();
    }

    /** Begins an engine that is made as told. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Limiter limiter(Policy policy) {
        return counters.limiter(policy);
    }

    /** How many keys are kept, of all rules together. */
    public long keys() {
        return counters.size();
    }

    /** Forgets all counts. */
    @Override
    public void close() {
        counters.clear();
    }

    /** Collects what an engine in memory is made of. Not safe for use by several threads. */
    public static final class Builder {

        private TimeSource time = TimeSource.monotonic();
        private int maxKeysPerRule = 1_000_000;
        private final List<DecisionListener> listeners = new ArrayList<>();

        private Builder() {}

        /** Takes the time from there instead of the clock of this process. */
        public Builder time(TimeSource source) {
            this.time = Objects.requireNonNull(source, "source");
            return this;
        }

        /** Keeps so many keys a rule: 1024 to 100 000 000; a million unless told. */
        public Builder maxKeysPerRule(int keys) {
            this.maxKeysPerRule = (int) Bounds.inRange("maxKeysPerRule", keys, 1024, 100_000_000);
            return this;
        }

        /** Tells every decision to this listener, too. */
        public Builder listener(DecisionListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** The engine. */
        public InMemoryLimits build() {
            return new InMemoryLimits(this);
        }
    }
}
