package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code headgate ban lift}. */
@Command(
        name = "lift",
        description = "Ends bans and exemptions of exactly these targets, in all processes.",
        footer = {"", "Exit codes: 0 all lifted, 1 a target had no entry or Redis fails, 2 wrong command line."})
final class BanLiftCommand extends BanChangeCommand {

    @Mixin
    private TargetOptions targets = new TargetOptions();

    @Mixin
    private RuleOption rule = new RuleOption();

    @Override
    void check() {
        targets.targets(); // throws if one is invalid
        rule.bans(targets);
    }

    @Override
    boolean isOfRule() {
        return rule.isGiven();
    }

    @Override
    int change(LimitEngine limits, CommandAudit audit) {
        Optional<RuleBans> ofRule = rule.bans(targets);
        return ofRule.isPresent() ? lift(limits, ofRule.get(), audit) : lift(limits.bans(), audit);
    }

    private int lift(LimitEngine limits, RuleBans ofRule, CommandAudit audit) {
        List<Map<String, Object>> lifted = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (BanTarget target : targets.targets()) {
            String none = target + ": no ban by " + ofRule;
            Optional<RuleDecision> ban = recorded(
                    audit,
                    AuditAction.BAN_LIFT,
                    AuditedChange.of(target.toString()),
                    () -> ofRule.lift(limits, target),
                    done -> new CommandAudit.Outcome(
                            done.isPresent(),
                            done.map(one -> BanText.of(target, ofRule, one)).orElse(none),
                            AuditedChange.of(target.toString())
                                    .from(done.map(one -> BanJson.of(target, ofRule, one))
                                            .orElse(Map.of()))));
            ban.ifPresent(one -> lifted.add(BanJson.of(target, ofRule, one)));
            lines.add(
                    ban.map(one -> "lifted " + BanText.of(target, ofRule, one)).orElse(none));
        }
        output(Map.of("lifted", lifted), lines);
        return lifted.size() == targets.targets().size() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private int lift(Bans bans, CommandAudit audit) {
        List<BanEntry> lifted = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (BanTarget target : targets.targets()) {
            Optional<BanEntry> entry = recorded(
                    audit,
                    AuditAction.BAN_LIFT,
                    AuditedChange.of(target.toString()),
                    () -> bans.lift(target),
                    done -> new CommandAudit.Outcome(
                            done.isPresent(),
                            done.map(BanText::of).orElse("no entry of " + target),
                            BanChange.of(target, done, Optional.empty())));
            entry.ifPresent(lifted::add);
            lines.add(entry.map(one -> "lifted " + BanText.of(one))
                    .orElse(target + " is neither banned nor exempt; for those that are: " + command("list")));
        }
        output(Map.of("lifted", lifted.stream().map(BanJson::of).toList()), lines);
        return lifted.size() == targets.targets().size() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
