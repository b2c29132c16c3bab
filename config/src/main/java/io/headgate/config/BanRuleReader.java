package io.headgate.config;

import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads when a rule bans. As in {@link LimitReader}, the API checks the ranges. */
final class BanRuleReader {

    /** The key of the bans of a rule. */
    static final String BAN = "ban";

    private static final String AFTER = "after";
    private static final String WITHIN = "within";
    private static final String FOR = "for";
    private static final String DOUBLING = "doubling-up-to";

    private static final BanRule STAND_IN = BanRule.after(1, Duration.ofMinutes(1));

    private final Problems problems;

    BanRuleReader(Problems problems) {
        this.problems = problems;
    }

    /**
     * Returns a rule with the bans in its fields, if there are any.
     *
     * @param written the whole rule, as a ban depends on its limit
     */
    Rule read(Rule rule, Fields fields, Yaml written) {
        Optional<Yaml.Entry> given = fields.optional(BAN);
        return given.isEmpty()
                ? rule
                : ban(given.get())
                        .map(ban -> problems.made(written, given.get().key(), rule, () -> rule.banning(ban)))
                        .orElse(rule);
    }

    /** Returns the bans; empty if a value is wrong. */
    private Optional<BanRule> ban(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of(AFTER, WITHIN, FOR, DOUBLING), problems);
        Optional<Integer> after = denials(fields.required(AFTER).value());
        Yaml time = fields.required(WITHIN).value();
        Optional<Duration> within = duration(time, time, one -> BanRule.after(1, one));
        Yaml length = fields.required(FOR).value();
        Optional<Duration> lasting = duration(length, length, STAND_IN::lasting);
        Optional<Yaml.Entry> doubling = fields.optional(DOUBLING);
        if (after.isEmpty() || within.isEmpty() || lasting.isEmpty()) {
            return Optional.empty();
        }
        BanRule ban = BanRule.after(after.get(), within.get()).lasting(lasting.get());
        return doubling.isEmpty()
                ? Optional.of(ban)
                : duration(doubling.get().value(), entry.value(), ban::doublingUpTo)
                        .map(ban::doublingUpTo);
    }

    private Optional<Integer> denials(Yaml value) {
        Optional<Long> number = value instanceof Yaml.Scalar scalar ? Scalars.number(scalar.text()) : Optional.empty();
        if (number.isEmpty()) {
            problems.wrong(value, "a number of denials such as 20");
            return Optional.empty();
        }
        int denials = (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number.get()));
        return problems.accepted(value, "denials of a ban ", () -> BanRule.after(denials, STAND_IN.within()))
                ? Optional.of(denials)
                : Optional.empty();
    }

    private Optional<Duration> duration(Yaml value, Yaml about, Consumer<Duration> tried) {
        Optional<Duration> duration =
                value instanceof Yaml.Scalar scalar ? Scalars.duration(scalar.text()) : Optional.empty();
        if (duration.isEmpty()) {
            problems.wrong(value, "a duration such as 30s, 15m, 12h or PT15M");
            return Optional.empty();
        }
        return problems.accepted(value, about, "", () -> tried.accept(duration.get())) ? duration : Optional.empty();
    }
}
