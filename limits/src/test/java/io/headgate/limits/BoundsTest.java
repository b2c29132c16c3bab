package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BoundsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void permits_out_of_range_are_rejected() {
        assertRejected(
                () -> Limit.slidingWindow(-1, MINUTE), "permits of a sliding window must be from 0 to 1000000, was -1");
        assertRejected(
                () -> Limit.slidingWindow(1_000_001, MINUTE),
                "permits of a sliding window must be from 0 to 1000000, was 1000001; for more use Limit.slidingCounter, in YAML"
                        + " sliding-counter");
        assertRejected(
                () -> Limit.fixedWindow(Long.MAX_VALUE, MINUTE),
                "permits of a fixed window must be from 0 to 1000000000, was 9223372036854775807");
        assertRejected(() -> Limit.tokenBucket(1, 0, MINUTE), "refillPermits must be from 1 to 1000000000, was 0");
    }

    @Test
    void windows_out_of_range_are_rejected() {
        for (Duration window : new Duration[] {
            Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(999_999), Duration.ofDays(365_000)
        }) {
            assertRejected(() -> Limit.slidingWindow(1, window), "window must be from 1 ms to 366 days, was " + window);
        }
        assertRejected(
                () -> Limit.fixedWindow(1, Duration.ofNanos(1_000_001)),
                "window must be a whole number of microseconds, was PT0.001000001S");
    }

    @Test
    void names_and_the_number_of_rules_are_bounded_no_name_occurs_twice_and_errors_escape_names() {
        assertRejected(
                () -> Policy.named("a b")
                        .rule("r", Limit.slidingWindow(1, MINUTE))
                        .build(),
                "name of a policy must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"a b\"");
        assertRejected(
                () -> Rule.of("x\n", Limit.slidingWindow(1, MINUTE)),
                "name of a rule must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                        + " was \"x\\u000a\"");
        assertRejected(
                () -> Rule.of("x".repeat(65), Limit.slidingWindow(1, MINUTE)),
                "name of a rule must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \""
                        + "x".repeat(65) + "\"");
        assertRejected(
                () -> Rule.of("r", Limit.slidingWindow(1, MINUTE), "a", "a"), "rule r names a dimension twice: [a, a]");
        assertRejected(
                () -> Policy.named("p")
                        .rule("r", Limit.slidingWindow(1, MINUTE))
                        .rule("r", Limit.slidingWindow(2, MINUTE))
                        .build(),
                "policy p has two rules named r");
        assertRejected(() -> Policy.named("p").build(), "number of rules of policy p must be from 1 to 16, was 0");
        Policy.Builder seventeen = Policy.named("p");
        for (int i = 0; i < 17; i++) {
            seventeen.rule("r" + i, Limit.slidingWindow(1, MINUTE));
        }
        assertRejected(seventeen::build, "number of rules of policy p must be from 1 to 16, was 17");
    }

    @Test
    void attributes_are_bounded_in_number() {
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 33; i++) {
            many.put("a" + i, "x");
        }
        assertRejected(() -> Attributes.of(many), "number of attributes must be from 0 to 32, was 33");
    }

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
