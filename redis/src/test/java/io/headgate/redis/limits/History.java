package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sequence of calls to a policy with several variants: the same rules and keys with different limits.
 *
 * @param startMicros the time of the first step
 */
public record History(List<ChangingRule> rules, long startMicros, List<Step> steps) {

    static final int VARIANTS = 4;
    static final int REQUEST_IDS = 3;
    static final int USERS = 2;
    static final int PEOPLE = USERS * 2;

    /** A rule whose limit changes between limits of one kind. */
    public record ChangingRule(
            List<? extends Limit> limits, List<String> dimensions, boolean countsAttempts, boolean shadow) {

        static ChangingRule global(Limit... limits) {
            return new ChangingRule(List.of(limits), List.of(), false, false);
        }

        ChangingRule with(List<String> others, boolean attempts, boolean inShadow) {
            return new ChangingRule(limits, others, attempts, inShadow);
        }

        private ChangingRule ofOneMode() {
            return limits.get(0) instanceof LeakyBucket first
                    ? new ChangingRule(
                            limits.stream()
                                    .map(LeakyBucket.class::cast)
                                    .map(it -> new LeakyBucket(
                                            it.capacity(), it.leakPermits(), it.leakPeriod(), first.mode()))
                                    .toList(),
                            dimensions,
                            countsAttempts,
                            shadow)
                    : this;
        }

        public Limit limit(int variant) {
            return limits.get(variant % limits.size());
        }
    }

    Policy policy(String name, int variant) {
        Policy.Builder policy = Policy.named(name);
        for (int i = 0; i < rules.size(); i++) {
            ChangingRule rule = rules.get(i);
            policy.rule(new Rule(
                    ruleName(i),
                    rule.limit(variant),
                    rule.dimensions(),
                    rule.countsAttempts(),
                    rule.shadow(),
                    Optional.empty()));
        }
        return policy.build();
    }

    /** The policy of variant 0, with overrides that apply the limits of the other variants to requests with the attribute plan. */
    Policy overriddenPolicy(String name) {
        Policy base = policy(name, 0);
        List<LimitOverride> overrides = new ArrayList<>();
        for (int variant = 1; variant < VARIANTS; variant++) {
            for (Rule rule : policy(name, variant).rules()) {
                overrides.add(new LimitOverride(rule.name(), Map.of("plan", plan(variant)), rule.limit()));
            }
        }
        return base.withOverrides(overrides);
    }

    /** This history with leaky buckets that never change between meter and shaper, because overrides can't change the mode. */
    History ofOneMode() {
        return new History(rules.stream().map(ChangingRule::ofOneMode).toList(), startMicros, steps);
    }

    static String plan(int variant) {
        return "plan-" + variant;
    }

    String ruleName(int rule) {
        return "rule-" + rule % rules.size();
    }

    public long micros(Step.Span span) {
        long whole = windowMicros(rules.get(span.rule() % rules.size()).limit(span.variant()));
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
        } else if (limit instanceof SlidingCounter counter) {
            window = counter.window();
        } else if (limit instanceof CalendarWindow calendar) {
            window = switch (calendar.unit()) {
                case DAY -> Duration.ofDays(1);
                case WEEK -> Duration.ofDays(7);
                case MONTH -> Duration.ofDays(30);
            };
        } else if (limit instanceof LeakyBucket leaky) {
            window = leaky.leakPeriod();
        } else {
            window = ((TokenBucket) limit).refillPeriod();
        }
        return window.toNanos() / 1000;
    }
}
