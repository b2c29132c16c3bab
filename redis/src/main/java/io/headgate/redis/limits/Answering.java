package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.DecisionListeners;
import io.headgate.limits.internal.EngineState;
import io.headgate.redis.internal.Failures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What becomes of a request when it is answered, and when it is not. */
interface Answering {

    /** Nobody else hears of it, and failures are failures. */
    Answering PLAIN = new Answering() {};

    /** Redis decided it, or others like it of which it is the last; no caller has received a decision yet. */
    default void decided(Ask ask, Decision decision) {}

    /**
     * It was answered, and its caller is to be told.
     *
     * @param isNewest whether nothing newer is known of what it asked for
     */
    default void answered(Ask ask, Decision decision, boolean isNewest) {}

    /** It failed, and its caller is to be told this instead; null for the failure. */
    default @Nullable Decision instead(Ask ask, Throwable problem) {
        return null;
    }

    /** What the caller gets when nothing else is answered: the exception of a closed engine where the engine is closed. */
    default Throwable failure(Throwable problem) {
        return problem;
    }

    /** It was answered after its caller had been told something else. */
    default void late(Ask ask, Decision decision, Decision told) {}

    /** It failed as part of a batch, because one of these keys holds something that Headgate did not store. */
    default void foreign(List<String> keys) {}

    /** Those of a limiter: listeners hear, Redis's health is watched, and a fallback answers. */
    record OfLimiter(
            EngineState state,
            DecisionListeners listeners,
            DenialCache.View denials,
            PolicyFallback fallback,
            RedisWatch watch,
            Failures failures)
            implements Answering {

        @Override
        public void decided(Ask ask, Decision decision) {
            denials.put(ask, decision);
        }

        @Override
        public void answered(Ask ask, Decision decision, boolean isNewest) {
            if (fallback.answers()) {
                watch.answered();
            }
            if (isNewest) {
                fallback.learn(ask, decision);
            }
            tell(ask, decision);
        }

        @Override
        public @Nullable Decision instead(Ask ask, Throwable problem) {
            if (state.isClosed()) {
                return null;
            }
            if (!fallback.answers()) {
                if (!listeners.isEmpty() && Causes.of(problem) instanceof LimiterException failure) {
                    listeners.onFailure(ask.planner().policy(), ask.attributes(), ask.permits(), failure);
                }
                return null;
            }
            if (!ask.isGivenUpByCaller()) {
                watch.failed(problem);
            }
            Decision decision = fallback.decide(ask.attributes(), ask.keys(), ask.permits());
            tell(ask, decision);
            return decision;
        }

        @Override
        public Throwable failure(Throwable problem) {
            // One of its own for each caller, as who waits for it adds to it.
            return state.isClosed()
                    ? state.problem(problem instanceof LimiterException ? problem : problem.getCause())
                    : problem;
        }

        @Override
        public void late(Ask ask, Decision decision, Decision told) {
            fallback.settle(ask, decision, told);
        }

        @Override
        public void foreign(List<String> keys) {
            failures.foreign(keys);
        }

        private void tell(Ask ask, Decision decision) {
            listeners.onDecision(ask.planner().policy(), ask.attributes(), ask.permits(), decision);
        }
    }
}
