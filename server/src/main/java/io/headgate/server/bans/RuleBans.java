package io.headgate.server.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.IpBlock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The bans by one rule with one dimension. A command has neither the kind of its limit nor the colocation of its policy, so it reads the keys
 * of all of them. It resets only a key that contained a ban.
 */
final class RuleBans {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** One limit of each kind. A peek needs a valid limit, but a ban does not depend on it. */
    private static final List<Limit> KINDS = List.of(
            Limit.fixedWindow(1, SECOND),
            Limit.calendarWindow(1, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
            Limit.slidingWindow(1, SECOND),
            Limit.slidingCounter(1, SECOND),
            Limit.tokenBucket(1, 1, SECOND),
            Limit.leakyBucket(1, 1, SECOND));

    private static final BanRule ANY_BAN = BanRule.after(1, SECOND).lasting(Duration.ofDays(2));

    private final String policy;
    private final String rule;

    /**
     * Creates the access to the bans by a rule.
     *
     * @throws IllegalArgumentException if a name is invalid
     */
    RuleBans(String policy, String rule) {
        this.policy = policy;
        this.rule = rule;
        policy("any", KINDS.get(0), Colocation.SPREAD); // throws if a name is invalid
    }

    String policy() {
        return policy;
    }

    String rule() {
        return rule;
    }

    /** A ban, and the limiter and attributes with which a reset ends it. */
    private record Found(Limiter limiter, Attributes attributes, RuleDecision ban) {}

    /** Returns the ban of a target; empty if the rule does not ban it. */
    Optional<RuleDecision> find(LimitEngine limits, BanTarget target) {
        return all(limits, target).findFirst().map(Found::ban);
    }

    /** Ends the ban of a target, and returns it; empty if the rule did not ban it. */
    Optional<RuleDecision> lift(LimitEngine limits, BanTarget target) {
        List<Found> bans = all(limits, target).toList();
        bans.forEach(found -> found.limiter().resetRule(rule, found.attributes()));
        return bans.stream().findFirst().map(Found::ban);
    }

    private Stream<Found> all(LimitEngine limits, BanTarget target) {
        Attributes attributes = Attributes.of(target.attribute(), countedAs(target));
        return KINDS.stream()
                .flatMap(limit -> Stream.of(Colocation.values())
                        .map(where -> limits.limiter(policy(target.attribute(), limit, where))))
                .flatMap(limiter -> limiter.peek(PermitRequest.of(attributes)).rules().stream()
                        .filter(decision -> decision.bannedFor().isPresent())
                        .map(decision -> new Found(limiter, attributes, decision)));
    }

    private Policy policy(String dimension, Limit limit, Colocation where) {
        return Policy.named(policy)
                .rule(Rule.of(rule, limit, dimension).banning(ANY_BAN))
                .colocate(where)
                .fallback(Fallback.none())
                .build();
    }

    @Override
    public String toString() {
        return "rule " + rule + " of policy " + policy;
    }

    /** The value by which the rule counts: of an IPv6 client, its network. */
    private static String countedAs(BanTarget target) {
        return target.addresses()
                .filter(address -> target.attribute().equals(Attributes.IP))
                .map(BanGuard::network)
                .map(IpBlock::toString)
                .orElse(target.value());
    }
}
