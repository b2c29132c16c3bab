package io.headgate.limits;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The number of held permits of each rule of an in-flight policy, at one instant.
 *
 * @param rules each rule with the number of its held permits, in the order of the policy
 * @param at the time of the count: by Redis's clock, or by this process's clock if the engine is in memory or a fallback decided
 * @param basis what the count is based on: {@link Decision.Basis#COUNTED}; or, while Redis does not reply, {@link
 *     Decision.Basis#LOCAL_SHARE}, {@link Decision.Basis#OPEN} or {@link Decision.Basis#CLOSED}. If a {@linkplain Hold#ban() ban}
 *     denied a hold, it is {@link Decision.Basis#BANNED}
 */
public record InFlight(List<InFlightCount> rules, Instant at, Decision.Basis basis) {

    /** Copies the list. */
    public InFlight {
        rules = List.copyOf(rules);
        Objects.requireNonNull(basis, "basis");
    }

    /** Returns the counts of the store, with the basis {@link Decision.Basis#COUNTED}. */
    public static InFlight counted(List<InFlightCount> rules, Instant at) {
        return new InFlight(rules, at, Decision.Basis.COUNTED);
    }

    /** Returns the rule with the fewest free permits; the first one if several have as few. */
    public InFlightCount tightest() {
        return rules.stream().min(Comparator.comparingLong(InFlightCount::free)).orElseThrow();
    }

    /** Returns how many more permits every rule can grant now; 0 or more. */
    public long free() {
        return tightest().free();
    }

    /**
     * Returns the number of held permits of a rule.
     *
     * @throws IllegalArgumentException if there is no rule of that name
     */
    public InFlightCount rule(String name) {
        return rules.stream()
                .filter(count -> count.rule().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no rule " + name + " in " + rules));
    }
}
