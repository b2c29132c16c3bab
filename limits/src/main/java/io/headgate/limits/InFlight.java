package io.headgate.limits;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * What is held under a policy, at one moment.
 *
 * @param rules each rule with what is held of it, in the order of the policy
 * @param at when, by the engine's clock: on Redis its own
 */
public record InFlight(List<InFlightCount> rules, Instant at) {

    /** Copies the list. */
    public InFlight {
        rules = List.copyOf(rules);
    }

    /** The rule that has the fewest permits free; the first of several. */
    public InFlightCount tightest() {
        return rules.stream().min(Comparator.comparingLong(InFlightCount::free)).orElseThrow();
    }

    /** How many more may be held now under all rules; 0 or more. */
    public long free() {
        return tightest().free();
    }

    /**
     * What is held of the rule of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public InFlightCount rule(String name) {
        return rules.stream()
                .filter(count -> count.rule().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no rule " + name + " in " + rules));
    }
}
