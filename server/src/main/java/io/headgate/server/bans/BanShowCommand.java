package io.headgate.server.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.bans.IpBlock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate ban show}. */
@Command(
        name = "show",
        description = {
            "Shows which ban or exemption applies to requests with these values, and why.",
            "For an address, that may be the entry of a block around it."
        })
final class BanShowCommand extends BanSubcommand {

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
    int run(LimitEngine limits) {
        Optional<RuleBans> ofRule = rule.bans(targets);
        return ofRule.isPresent() ? show(limits, ofRule.get()) : show(limits.bans());
    }

    private int show(LimitEngine limits, RuleBans ofRule) {
        List<Map<String, Object>> json = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (BanTarget target : targets.targets()) {
            Optional<RuleDecision> ban = ofRule.find(limits, target);
            ban.ifPresent(one -> json.add(BanJson.of(target, ofRule, one)));
            lines.add(ban.map(one -> BanText.of(target, ofRule, one)).orElse(target + ": no ban by " + ofRule));
        }
        return output(Map.of("bans", json), lines);
    }

    private int show(Bans bans) {
        List<Map<String, Object>> json = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (BanTarget target : targets.targets()) {
            List<BanEntry> matching = matching(bans, target);
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("target", target.toString());
            members.put("entries", matching.stream().map(BanJson::of).toList());
            json.add(members);
            lines.add(target + ": " + (matching.isEmpty() ? "neither banned nor exempt" : text(matching.get(0))));
            matching.stream()
                    .skip(1)
                    .forEach(entry -> lines.add(" ".repeat(target.toString().length() + 2) + text(entry)));
        }
        return output(Map.of("targets", json), lines);
    }

    /** Returns the entry that applies, and then the others for the same requests, such as those under one policy. */
    private static List<BanEntry> matching(Bans bans, BanTarget target) {
        List<BanEntry> matching = new ArrayList<>();
        bans.applicable(target.policy().orElse(""), Attributes.of(target.attribute(), target.value()))
                .ifPresent(matching::add);
        for (BanEntry entry : bans.entries()) {
            if (!matching.contains(entry) && matches(entry.target(), target)) {
                matching.add(entry);
            }
        }
        return matching;
    }

    private static boolean matches(BanTarget entry, BanTarget asked) {
        boolean isOfPolicy = asked.policy().isEmpty()
                || entry.policy().isEmpty()
                || entry.policy().equals(asked.policy());
        return isOfPolicy
                && entry.attribute().equals(asked.attribute())
                && (entry.value().equals(asked.value()) || overlap(entry.addresses(), asked.addresses()));
    }

    private static boolean overlap(Optional<IpBlock> one, Optional<IpBlock> other) {
        return one.isPresent()
                && other.isPresent()
                && (one.get().contains(other.get()) || other.get().contains(one.get()));
    }

    private static String text(BanEntry entry) {
        return BanText.of(entry)
                + (entry.by().isEmpty() ? "" : ", by " + entry.by())
                + (entry.reason().isEmpty() ? "" : ": " + entry.reason());
    }
}
