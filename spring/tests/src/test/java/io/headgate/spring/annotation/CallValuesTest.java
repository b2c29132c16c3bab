package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests the values and permits of calls, which expressions return. */
@ExtendWith(OutputCaptureExtension.class)
class CallValuesTest {

    record Order(@Nullable String userId, List<String> lines) {}

    static class Messages {

        @RateLimited(policy = "user", by = "user: #order.userId", permits = "#order.lines.size()")
        String confirm(Order order) {
            return "sent";
        }

        @RateLimited(policy = "user", by = "user: #user.substring(1)")
        String failing(String user) {
            return "sent";
        }

        @RateLimited(
                policy = "user",
                by = "user: T(java.util.concurrent.CompletableFuture)"
                        + ".failedFuture(new java.util.concurrent.CancellationException('as the test wants'))")
        String failingLater(String user) {
            return "sent";
        }

        @InFlight(policy = "one", permits = "#permits")
        String held(long permits) {
            return "sent";
        }

        @RateLimited(policy = "user", by = "user: #user", permits = "#permits")
        String number(String user, long permits) {
            return "sent";
        }
    
    }

    private static void run(Consumer<AssertableApplicationContext> test) {
        Limits.APPLICATION.withBean(Messages.class).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    private static void withMessages(Consumer<Messages> test) {
        run(context -> test.accept(context.getBean(Messages.class)));
    }

    private static long remaining(AssertableApplicationContext context, String user) {
        return context.getBean(PolicyRegistry.class).limiter("user").peek(user).remaining();
    }

    @Test
    void calls_whose_expression_fails_count_as_one_and_are_logged_once_a_minute(CapturedOutput output) {
        withMessages(messages -> {
            assertThat(messages.failing("")).isEqualTo("sent");
            assertThat(messages.failingLater("")).isEqualTo("sent");
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> messages.failing("")).isInstanceOf(LimitExceededException.class);
            }
            assertThat(messages.failing("-alice")).isEqualTo("sent");
            assertThat(output.getAll()
                            .lines()
                            .filter(line -> line.contains("failed; the call counts together with others")
                                    && line.contains("failing(String)")))
                    .singleElement()
                    .asString()
                    .contains("@RateLimited of " + Messages.class.getName() + ".failing(String).by.user");
        });
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "absent:unknown", "absent:alice"})
    void calls_with_an_absent_value_count_as_one(@Nullable String user) {
        withMessages(messages -> {
            assertThat(messages.confirm(new Order(null, List.of("a", "b")))).isEqualTo("sent");
            assertThatThrownBy(() -> messages.confirm(new Order(user, List.of("a"))))
                    .isInstanceOf(LimitExceededException.class);
        });
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "-1, 1", "-9223372036854775808, 1", "2, 0"})
    void zero_permits_are_not_limited_and_fewer_are_one(long permits, long remaining) {
        run(context -> {
            assertThat(context.getBean(Messages.class).number("alice", permits)).isEqualTo("sent");
            assertThat(remaining(context, "alice")).isEqualTo(remaining);
        });
    }

    @Test
    void more_permits_than_any_limit_has_are_denied() {
        withMessages(messages -> {
            assertThatThrownBy(() -> messages.number("alice", Long.MAX_VALUE))
                    .isInstanceOf(LimitExceededException.class);
            assertThatThrownBy(() -> messages.held(101)).isInstanceOf(InFlightExceededException.class);
        });
    }
}
