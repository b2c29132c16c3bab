package io.headgate.limits;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * What is held under a policy, at one moment.
 *
 * @param rules each rule with what is held of it, in the order of the policy
 * @param at when, by the engine's clock: on Redis its own, but where a fallback answered
 * @param basis what it rests on: {@link Decision.Basis#COUNTED}, or while Redis does not answer {@link
 *     Decision.Basis#LOCAL_SHARE}, {@link Decision.Basis#OPEN} or {@link Decision.Basis#CLOSED}
 */
public record InFlight(List<InFlightCount> rules, Instant at, Decision.Basis basis) {

    /** Copies the list. */
    public InFlight {
        rules = List.copyOf(rules);
        Objects.requireNonNull(basis, "basis");
    }

    /** What was counted where all holds are kept. */
    public static InFlight counted(List<InFlightCount> rules, Instant at) {
        return new InFlight(rules, at, Decision.Basis.COUNTED);
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
