package io.headgate.config;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.Fallback;
import java.time.Duration;
import java.util.Optional;

/** Reads the fallback of a policy. */
final class FallbackReader {

    static final String FALLBACK = "fallback";
    static final String BUDGET = "budget";

    private final Problems problems;

    FallbackReader(Problems problems) {
        this.problems = problems;
    }

    /** Returns the fallback in the fields of a policy, if there is one. */
    Optional<Fallback> read(Fields fields) {
        Optional<Fallback> given = fields.optional(FALLBACK)
                .map(entry ->
                        new Fallback(Choices.read(entry.value(), Fallback.Mode.values(), problems), Optional.empty()));
        Optional<Yaml.Entry> budget = fields.optional(BUDGET);
        if (given.isEmpty()) {
            budget.ifPresent(
                    entry -> problems.add(entry.key(), "goes with a fallback; name one, such as fallback: local"));
            return Optional.empty();
        }
        return budget.map(entry -> within(given.get(), entry.value())).or(() -> given);
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
}
