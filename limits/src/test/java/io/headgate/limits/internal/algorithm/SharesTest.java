package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the share of a limit for each of several instances. */
class SharesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration YEAR = Duration.ofDays(366);

    static Stream<Arguments> shares() {
        return Stream.of(
                Arguments.of(Limit.fixedWindow(10, MINUTE), 4, Limit.fixedWindow(2, MINUTE)),
                Arguments.of(Limit.slidingWindow(8, MINUTE), 4, Limit.slidingWindow(2, MINUTE)),
                Arguments.of(Limit.slidingWindow(3, MINUTE), 4, Limit.slidingWindow(1, MINUTE)),
                Arguments.of(Limit.slidingWindow(0, MINUTE), 4, Limit.slidingWindow(0, MINUTE)),
                Arguments.of(Limit.slidingCounter(100, MINUTE), 3, Limit.slidingCounter(33, MINUTE)),
                Arguments.of(
                        Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
                        2,
                        Limit.calendarWindow(2, CalendarWindow.Unit.DAY, ZoneOffset.UTC)),
                Arguments.of(Limit.tokenBucket(20, 7, MINUTE), 3, Limit.tokenBucket(6, 7, MINUTE.multipliedBy(3))),
                Arguments.of(Limit.tokenBucket(20, 7, YEAR), 3, Limit.tokenBucket(6, 2, YEAR)),
                // Not 125 permits: the rate, which is rounded down, must fill the bucket within ten years.
                Arguments.of(
                        Limit.tokenBucket(2500, 39, Duration.ofDays(30)),
                        20,
                        Limit.tokenBucket(121, 1, Duration.ofDays(30))),
                Arguments.of(Limit.leakyBucket(20, 7, MINUTE), 1, Limit.leakyBucket(20, 7, MINUTE)));
    }

    @ParameterizedTest(name = "{0} among {1}")
    @MethodSource("shares")
    void each_kind_of_limit_is_divided_among_the_instances(Limit whole, int instances, Limit share) {
        assertThat(Shares.of(whole, instances)).isEqualTo(share);
    }

    @Test
    void shares_keep_the_options_of_rules_and_have_no_lease() {
        Rule attempts = Rule.of("a", Limit.slidingWindow(10, MINUTE), "user").countingAttempts();
        Rule shadow = Rule.of("b", Limit.fixedWindow(10, MINUTE)).inShadow();
        Policy whole = Policy.named("api").rule(attempts).rule(shadow).build();
        List<Rule> rules = Shares.of(whole, 5).rules();
        assertThat(rules.get(0))
                .isEqualTo(Rule.of("a", Limit.slidingWindow(2, MINUTE), "user").countingAttempts());
        assertThat(rules.get(1))
                .isEqualTo(Rule.of("b", Limit.fixedWindow(2, MINUTE)).inShadow());
        Policy leased = Policy.named("api")
                .rule("a", Limit.slidingWindow(10, MINUTE))
                .leased()
                .build();
        assertThat(Shares.of(leased, 5).lease()).isEmpty();
    }
}
