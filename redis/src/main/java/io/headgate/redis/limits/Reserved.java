package io.headgate.redis.limits;

import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.Micros;

/**
 * What a rule said that was asked apart from the others.
 *
 * @param atMicros when, by the clock of where it is counted
 * @param said where the others admit, too, or it denies by itself
 * @param othersDeny where another one denies: what is so when its charge is taken back, or stays as an attempt
 */
record Reserved(long atMicros, RuleDecision said, RuleDecision othersDeny) {

    /** Whether the request is denied because of it. */
    boolean denies() {
        return !said.allowed() && !said.rule().shadow();
    }

    /**
     * Whether there is anything to give back where the request is denied: what was charged, or of a request with an id an answer
     * that is kept. An attempt stays charged, and its answer goes, else the id would be admitted later without a charge.
     */
    boolean isToGiveBack(boolean hasId) {
        return said.rule().countsAttempts()
                ? hasId && said.allowed()
                : said.allowed() || (hasId && said.rule().shadow());
    }

    /** What it is to give back of so many permits; of attempts none, and in the shadow maybe none. */
    Charge charge(long permits) {
        boolean some = said.allowed() && !said.rule().countsAttempts();
        return new Charge(some ? permits : 0, false, atMicros, atMicros + Micros.of(said.resetAfter()));
    }
}
