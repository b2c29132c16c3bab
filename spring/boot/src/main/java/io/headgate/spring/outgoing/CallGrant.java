package io.headgate.spring.outgoing;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.Limiter;
import io.headgate.spring.internal.DecisionObserver.Outcome;

/** The decision about a call. */
sealed interface CallGrant {

    /** Whether the call may be sent. */
    boolean allowed();

    /** Releases what the call holds. Only the first call of this method has an effect; it does not block. */
    default void release() {}

    /** Returns what is observed of a decision. */
    static Outcome outcome(Decided decided) {
        return decided instanceof Held held
                ? Outcome.of(held.policy(), held.hold())
                : Outcome.of(((Charged) decided).decision());
    }

    /** The decision of a policy. */
    sealed interface Decided extends CallGrant {}

    /** No limit applies to the call. */
    record Unlimited() implements CallGrant {

        @Override
        public boolean allowed() {
            return true;
        }
    }

    /** The decision of a policy of rate limits. */
    record Charged(Limiter limiter, Attributes attributes, Decision decision) implements Decided {

        @Override
        public boolean allowed() {
            return decision.allowed();
        }
    }

    /** The decision of an in-flight policy, with the permits that the call holds. */
    record Held(String policy, Hold hold) implements Decided {

        @Override
        public boolean allowed() {
            return hold.allowed();
        }

        @Override
        public void release() {
            hold.close();
        }
    }
}
