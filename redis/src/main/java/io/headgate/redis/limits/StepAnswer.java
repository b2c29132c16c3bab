package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import java.util.List;

/** What Redis said to a step of a call. */
sealed interface StepAnswer {

    /** Decided: each who asked has a decision, in their order. */
    record Decided(List<Decision> decisions) implements StepAnswer {}

    /** Failed with that error, and charged nothing. */
    record Failed(String error) implements StepAnswer {}

    /**
     * Not decided, as it was told other days of a calendar than it has, or would write more entries of sliding windows wider
     * than there is time for beside others: whoever asked must ask alone.
     */
    record Missed() implements StepAnswer {}
}
