package io.headgate.redis.limits;

import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What several requests of one policy ask for, as steps of one call: those that ask for the same are one step, as far as that
 * lets none overtake another one that counts by one of its keys.
 */
final class Steps {

    /** As many as a step takes. */
    static final int MOST = 0xffff;

    private final boolean timeGiven;
    private final Merging merging;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, Step> newest = new HashMap<>();

    /** Whether requests may be one step. */
    enum Merging {
        /** Those of the same first key; others have no key in common with them. */
        OF_ONE_KEY,
        /** Those next to each other. */
        OF_NEIGHBOURS,
        /** None. */
        NEVER
    }

    Steps(Merging merging, boolean timeGiven) {
        this.merging = merging;
        this.timeGiven = timeGiven;
    }

    /** Those who ask for the same. */
    static final class Step {

        private final List<Ask> asks = new ArrayList<>(1);

        Step(Ask first) {
            asks.add(first);
        }

        Ask first() {
            return asks.get(0);
        }

        List<Ask> asks() {
            return asks;
        }

        private boolean isFor(Ask other, boolean timeGiven) {
            Ask mine = first();
            return mine.permits() == other.permits()
                    && (!timeGiven || mine.askedMicros() == other.askedMicros())
                    && asks.size() < MOST
                    && Arrays.equals(mine.keys(), other.keys());
        }
    }

    /** Adds a request behind those before it. */
    void add(Ask ask) {
        Step before = steps.isEmpty() || merging == Merging.NEVER ? null : steps.get(steps.size() - 1);
        if (before != null && before.isFor(ask, timeGiven)) {
            before.asks.add(ask);
            return;
        }
        Step ofKey = merging == Merging.OF_ONE_KEY ? newest.get(ask.keys()[0]) : null;
        if (ofKey != null && ofKey.isFor(ask, timeGiven)) {
            ofKey.asks.add(ask);
            return;
        }
        Step step = new Step(ask);
        steps.add(step);
        if (merging == Merging.OF_ONE_KEY) {
            newest.put(ask.keys()[0], step);
        }
    }

    List<Step> all() {
        return steps;
    }

    /** The keys of all steps, in their order. */
    String[] keys() {
        int rules = steps.get(0).first().keys().length;
        String[] keys = new String[steps.size() * rules];
        for (int i = 0; i < steps.size(); i++) {
            System.arraycopy(steps.get(i).first().keys(), 0, keys, i * rules, rules);
        }
        return keys;
    }

    /** The arguments of acquire_all.lua. */
    byte[][] arguments(byte[] limits) {
        return isPlain() ? new byte[][] {limits} : new byte[][] {limits, packed()};
    }

    private boolean isPlain() {
        if (timeGiven) {
            return false;
        }
        for (Step step : steps) {
            if (step.first().permits() != 1 || step.asks.size() != 1) {
                return false;
            }
        }
        return true;
    }

    private byte[] packed() {
        Packed all = new Packed();
        for (Step step : steps) {
            all.number(step.first().permits(), 4).number(step.asks.size(), 2);
            if (timeGiven) {
                all.number(step.first().askedMicros(), 7);
            }
        }
        return all.bytes();
    }
}
