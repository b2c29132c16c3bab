package io.headgate.config;

import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.Optional;

/** Reads what is answered under a policy while Redis does not answer. */
final class FallbackReader {

    static final String FALLBACK = "fallback";
    static final String BUDGET = "budget";

    private final Problems problems;

    FallbackReader(Problems problems) {
        this.problems = problems;
    }

    /** The policy with the fallback that its fields give, if they do. */
    Policy read(Policy policy, Fields fields) {
        Optional<Fallback> given = fields.optional(FALLBACK)
                .map(entry ->
                        new Fallback(Choices.read(entry.value(), Fallback.Mode.values(), problems), Optional.empty()));
        Optional<Yaml.Entry> budget = fields.optional(BUDGET);
        if (given.isEmpty()) {
            budget.ifPresent(
                    entry -> problems.add(entry.key(), "goes with a fallback; name one, such as fallback: local"));
            return policy;
        }
        Fallback fallback =
                budget.map(entry -> within(given.get(), entry.value())).orElse(given.get());
        return new Policy(policy.name(), policy.rules(), policy.colocation(), policy.lease(), Optional.of(fallback));
    }

    private Fallback within(Fallback fallback, Yaml value) {
        String text = value instanceof Yaml.Scalar scalar ? scalar.text() : "";
        Optional<Duration> budget = Scalars.duration(text);
        if (budget.isEmpty()) {
            problems.wrong(value, "a duration such as 50ms or 1s");
            return fallback;
        }
        return problems.accepted(value, "", () -> fallback.within(budget.get()))
                ? fallback.within(budget.get())
                : fallback;
    }

    /** Says that the fields that it gives have no meaning for a policy of in-flight limits. */
    void refuse(Fields fields) {
        for (String key : new String[] {FALLBACK, BUDGET}) {
            fields.optional(key)
                    .ifPresent(entry ->
                            problems.add(entry.key(), "is not of policies of in-flight limits yet; leave it out"));
        }
    }
}
