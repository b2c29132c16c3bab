package io.headgate.server.bans;

import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Table;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.List;

/** Bans and exemptions as lines for people. */
final class BanText {

    private BanText() {}

    /** Describes an entry in a few words: {@code ban of user="mallory" until 2026-11-29T06:00:00.000000Z}. */
    static String of(BanEntry entry) {
        return kind(entry) + " of " + of(entry.target()) + " "
                + entry.until().map(until -> "until " + Instants.of(until)).orElse("for good");
    }

    private static String kind(BanEntry entry) {
        return switch (entry.kind()) {
            case BAN -> "ban";
            case EXEMPTION -> "exemption";
            case COUNTED_EXEMPTION -> "counted exemption";
        };
    }

    /** Describes a ban by a rule: {@code ban of user="mallory" by rule per-user of policy login, which ends in 14m 3s}. */
    static String of(BanTarget target, RuleBans rule, RuleDecision ban) {
        return "ban of " + target.attribute() + "=" + Quoted.of(target.value()) + " by " + rule + ", which ends in "
                + Words.span(ban.retryAfter().orElse(Duration.ZERO));
    }

    private static String of(BanTarget target) {
        return target.attribute() + "=" + Quoted.of(target.value())
                + target.policy().map(policy -> " under policy " + policy).orElse("");
    }

    /** Returns a table of entries. */
    static List<String> table(List<BanEntry> entries) {
        Table table = new Table()
                .words("target")
                .words("policy")
                .words("kind")
                .words("until")
                .words("by")
                .words("reason");
        for (BanEntry entry : entries) {
            table.row(
                    entry.target().attribute() + "="
                            + Quoted.inOneLine(entry.target().value()),
                    entry.target().policy().orElse("all"),
                    kind(entry),
                    entry.until().map(Instants::of).orElse("permanent"),
                    entry.by(),
                    entry.reason());
        }
        return table.lines();
    }
}
