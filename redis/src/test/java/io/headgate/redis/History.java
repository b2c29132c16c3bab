package io.headgate.redis;

import io.headgate.limits.Attributes;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.util.List;

/**
 * What happens to a policy that comes in two variants: the same rules, under limits that differ.
 *
 * @param startMicros when it begins
 */
record History(List<TwoLimits> rules, long startMicros, List<Step> steps) {

    static final int USERS = 2;
    static final int PEOPLE = USERS * 2;

    /** Two limits of one kind that are asked by turns about the same keys. */
    record TwoLimits(Limit first, Limit second, List<String> dimensions) {

        Limit variant(int variant) {
            return variant == 0 ? first : second;
        }
    }

    Policy policy(String name, int variant) {
        Policy.Builder policy = Policy.named(name);
        for (int i = 0; i < rules.size(); i++) {
            TwoLimits rule = rules.get(i);
            policy.rule(new Rule(ruleName(i), rule.variant(variant), rule.dimensions()));
        }
        return policy.build();
    }

    String ruleName(int rule) {
        return "rule-" + rule % rules.size();
    }

    long micros(Step.Span span) {
        long whole = windowMicros(rules.get(span.rule() % rules.size()).variant(span.variant()));
        long part = Math.floorDiv(whole, span.ofParts()) * span.parts();
        return part + span.plusMicros();
    }

    static Attributes attributes(int who) {
        return Attributes.of(Attributes.USER, "user-" + who % USERS).with(Attributes.IP, "10.0.0." + who / USERS);
    }

    private static long windowMicros(Limit limit) {
        Duration window;
        if (limit instanceof FixedWindow fixed) {
            window = fixed.window();
        } else if (limit instanceof SlidingWindow sliding) {
            window = sliding.window();
        } else {
            window = ((TokenBucket) limit).refillPeriod();
        }
        return window.toNanos() / 1000;
    }
}
