package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Policy;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one call that decides a batch of requests under one policy, by {@code acquire_batch} in acquire.lua. Redis decides the steps
 * one after the other. Equal requests share a step where {@link Merging} allows it: no request may be decided before an earlier one with a
 * common key. Not safe for use by several threads.
 */
public final class BatchSteps {

    /** The most requests that a step can encode. */
    static final int MAX_REQUESTS_PER_STEP = 0xffff;

    private final boolean timeGiven;
    private final Merging merging;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, Step> newestByFirstKey = new HashMap<>();

    /** Which equal requests may share a step. */
    enum Merging {
        /** Those without another request with the same first key between them: other requests have no key in common with them. */
        SAME_FIRST_KEY,
        /** Consecutive ones: a request between them may have a key in common with them. */
        CONSECUTIVE,
        /** None, as an equal request may be charged differently from the one before it. */
        NEVER;

        /** The merging for a policy: {@link #NEVER} with rules in shadow mode and rules that count attempts. */
        static Merging of(Policy policy) {
            if (policy.rules().stream().anyMatch(rule -> rule.shadow() || rule.countsAttempts())) {
                return NEVER;
            }
            List<String> dimensions = policy.rules().get(0).dimensions();
            return policy.rules().stream().allMatch(rule -> rule.dimensions().equals(dimensions))
                    ? SAME_FIRST_KEY
                    : CONSECUTIVE;
        }
    }

    /** Creates an instance without steps. */
    BatchSteps(Merging merging, boolean timeGiven) {
        this.merging = merging;
        this.timeGiven = timeGiven;
    }

    /** One or more equal requests. */
    static final class Step {

        private final int index;
        private final AcquireRequest first;
        private int requests = 1;

        private Step(int index, AcquireRequest first) {
            this.index = index;
            this.first = first;
        }

        AcquireRequest first() {
            return first;
        }

        /** The number of requests. */
        int requests() {
            return requests;
        }

        private boolean accepts(AcquireRequest other, boolean timeGiven) {
            return first.permits() == other.permits()
                    && (!timeGiven || first.requestedMicros() == other.requestedMicros())
                    && requests < MAX_REQUESTS_PER_STEP
                    && Arrays.equals(first.keys(), other.keys());
        }
    }

    /** Adds a request, and returns the index of its step. */
    public int add(AcquireRequest request) {
        Step step = stepFor(request);
        if (step != null) {
            step.requests++;
            return step.index;
        }
        Step another = new Step(steps.size(), request);
        steps.add(another);
        if (merging == Merging.SAME_FIRST_KEY) {
            newestByFirstKey.put(request.keys()[0], another);
        }
        return another.index;
    }

    /**
     * Adds a step of equal requests, of which Redis charges as many as fit.
     *
     * @param requests 1 to {@value #MAX_REQUESTS_PER_STEP}
     */
    public void addEqual(AcquireRequest request, int requests) {
        if (requests < 1 || requests > MAX_REQUESTS_PER_STEP) {
            throw new IllegalArgumentException(
                    "requests must be between 1 and " + MAX_REQUESTS_PER_STEP + ", but was " + requests);
        }
        Step step = new Step(steps.size(), request);
        step.requests = requests;
        steps.add(step);
    }

    private @Nullable Step stepFor(AcquireRequest request) {
        Step last = steps.isEmpty() || merging == Merging.NEVER ? null : steps.get(steps.size() - 1);
        if (last != null && last.accepts(request, timeGiven)) {
            return last;
        }
        Step ofKey = merging == Merging.SAME_FIRST_KEY ? newestByFirstKey.get(request.keys()[0]) : null;
        return ofKey != null && ofKey.accepts(request, timeGiven) ? ofKey : null;
    }

    List<Step> all() {
        return steps;
    }

    /** The keys of all steps, in their order. */
    String[] keys() {
        int rules = steps.get(0).first.keys().length;
        String[] keys = new String[steps.size() * rules];
        for (int i = 0; i < steps.size(); i++) {
            System.arraycopy(steps.get(i).first.keys(), 0, keys, i * rules, rules);
        }
        return keys;
    }

    /** The arguments of acquire_batch in acquire.lua. */
    byte[][] arguments(byte[] limits) {
        return isPlain() ? new byte[][] {limits} : new byte[][] {limits, packed()};
    }

    private boolean isPlain() {
        if (timeGiven) {
            return false;
        }
        for (Step step : steps) {
            if (step.first.permits() != 1 || step.requests != 1) {
                return false;
            }
        }
        return true;
    }

    private byte[] packed() {
        Packed all = new Packed();
        for (Step step : steps) {
            all.number(step.first.permits(), 4).number(step.requests, 2);
            if (timeGiven) {
                all.number(step.first.requestedMicros(), 7);
            }
        }
        return all.bytes();
    }
}
