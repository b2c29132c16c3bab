package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests calls of methods that return values. */
@ExtendWith(OutputCaptureExtension.class)
class MethodCallsTest {

    record Order(@Nullable String userId, List<String> lines) {}

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimited(policy = "user", by = "user: #a0")
    @interface PerUser {}

    interface Service {

        @RateLimited(policy = "user", by = "user: #a0")
        String ofInterface(String user);
    }

    static class Messages implements Service {

        private final AtomicReference<Runnable> during = new AtomicReference<>(() -> {});

        AtomicReference<Runnable> during() {
            return during;
        }

        @RateLimited(policy = "user", by = "user: #order.userId", permits = "#order.lines.size()")
        String confirm(Order order) {
            return "sent";
        }

        @PerUser
        String ofOwnAnnotation(String user) {
            return "sent";
        }

        @Override
        public String ofInterface(String user) {
            return "sent";
        }

        @RateLimited(policy = "all")
        @RateLimited(policy = "${policy}", by = "user: methodName + target.name + @suffix.concat(#user)")
        String two(String user) {
            return "sent";
        }

        public String getName() {
            return "-name-";
        }

        @RateLimited(policy = "user", by = "user: #user", fallbackMethod = "later")
        String withFallback(String user) {
            return "sent";
        }

        @SuppressWarnings("UnusedMethod")
        private String later(String user, LimitExceededException e) {
            return user + " later: " + e.decision().policyName();
        }

        @InFlight(policy = "one")
        String alone() {
            Objects.requireNonNull(during.get()).run();
            return "done";
        }

        @InFlight(policy = "one", fallbackMethod = "busy")
        String aloneWithFallback() {
            Objects.requireNonNull(during.get()).run();
            return "done";
        }

        String busy() {
            return "busy";
        }

        @InFlight(policy = "one")
        @RateLimited(policy = "all")
        String both() {
            Objects.requireNonNull(during.get()).run();
            return "done";
        }

        @RateLimited(policy = "all", maxWait = "1d")
        String waiting() {
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

    @RateLimited(policy = "all")
    static class Limited {

        String one() {
            return "sent";
        }

        @RateLimited(policy = "user", by = "user: #user")
        String own(String user) {
            return "sent";
        }

        @NotLimited
        String free() {
            return "sent";
        }

        @Override
        public String toString() {
            return "limited";
        }
    }

    private static void run(Consumer<AssertableApplicationContext> test) {
        Limits.APPLICATION
                .withBean(Messages.class)
                .withBean(Limited.class)
                .withBean("suffix", String.class, () -> "of ")
                .withPropertyValues("policy=user")
                .run(context -> {
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
    void calls_are_charged_by_their_arguments() {
        run(context -> {
            Messages messages = context.getBean(Messages.class);
            assertThat(messages.confirm(new Order("alice", List.of("a", "b")))).isEqualTo("sent");
            assertThat(remaining(context, "alice")).isZero();
            assertThat(messages.confirm(new Order("bob", List.of("a")))).isEqualTo("sent");
            assertThat(remaining(context, "bob")).isEqualTo(1);
        });
    }

    @Test
    void a_denied_call_throws_the_decision_as_a_response() {
        withMessages(messages -> {
            messages.confirm(new Order("alice", List.of("a", "b")));
            LimitExceededException denied = catchThrowableOfType(
                    LimitExceededException.class, () -> messages.confirm(new Order("alice", List.of("a"))));
            assertThat(denied.getStackTrace()).isEmpty();
            assertThat(denied.decision().policyName()).isEqualTo("user");
            assertThat(denied.getStatusCode().value()).isEqualTo(429);
            assertThat(denied.getHeaders().getFirst("X-RateLimit-Limit")).isEqualTo("2");
            assertThat(denied.getHeaders().getFirst("Retry-After")).isNotNull();
        });
    }

    @Test
    void annotations_of_own_annotations_and_interfaces_apply() {
        withMessages(messages -> {
            messages.ofOwnAnnotation("alice");
            messages.ofInterface("alice");
            assertThatThrownBy(() -> messages.ofOwnAnnotation("alice")).isInstanceOf(LimitExceededException.class);
            assertThatThrownBy(() -> messages.ofInterface("alice")).isInstanceOf(LimitExceededException.class);
        });
    }

    @Test
    void with_proxies_of_interfaces_calls_are_limited_too() {
        Limits.APPLICATION
                .withBean("messages", Service.class, Messages::new)
                .withBean("suffix", String.class, () -> "of ")
                .withPropertyValues("policy=user", "spring.aop.proxy-target-class=false")
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    assertThat(AopUtils.isJdkDynamicProxy(service)).isTrue();
                    service.ofInterface("alice");
                    service.ofInterface("alice");
                    assertThatThrownBy(() -> service.ofInterface("alice")).isInstanceOf(LimitExceededException.class);
                });
    }

    @Test
    void without_the_auto_configuration_of_aop_calls_are_limited_too() {
        Limits.APPLICATION
                .withBean(Limited.class)
                .withPropertyValues("spring.aop.auto=false")
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    limited.one();
                    limited.one();
                    assertThatThrownBy(limited::one).isInstanceOf(LimitExceededException.class);
                });
    }

    @Test
    void a_call_that_one_annotation_denies_keeps_no_permit_of_another() {
        run(context -> {
            Messages messages = context.getBean(Messages.class);
            PolicyRegistry registry = context.getBean(PolicyRegistry.class);
            for (int i = 0; i < 2; i++) {
                registry.limiter("user").tryAcquire("two-name-of alice");
            }
            assertThatThrownBy(() -> messages.two("alice")).isInstanceOf(LimitExceededException.class);
            assertThat(registry.limiter("all").peek(io.headgate.limits.PermitRequest.global()).remaining())
                    .isEqualTo(2);
            assertThat(messages.two("bob")).isEqualTo("sent");
        });
    }

    @Test
    void a_fallback_answers_denied_calls() {
        withMessages(messages -> {
            messages.withFallback("alice");
            messages.withFallback("alice");
            assertThat(messages.withFallback("alice")).isEqualTo("alice later: user");
        });
    }

    @Test
    void a_call_holds_its_permit_until_it_returns_or_throws() {
        withMessages(messages -> {
            messages.during().set(() -> {
                assertThatThrownBy(messages::alone)
                        .isInstanceOf(InFlightExceededException.class)
                        .hasMessageContaining("429");
                assertThat(messages.aloneWithFallback()).isEqualTo("busy");
            });
            assertThat(messages.alone()).isEqualTo("done");
            messages.during().set(() -> {
                throw new IllegalStateException("as the test wants");
            });
            assertThatThrownBy(messages::alone).hasMessage("as the test wants");
            messages.during().set(() -> {});
            assertThat(messages.alone()).isEqualTo("done");
        });
    }

    @Test
    void a_call_that_one_kind_of_limit_denies_keeps_nothing_of_the_other() {
        withMessages(messages -> {
            messages.during()
                    .set(() -> assertThatThrownBy(messages::both).isInstanceOf(InFlightExceededException.class));
            messages.both();
            messages.during().set(() -> {});
            messages.both();
            assertThatThrownBy(messages::both).isInstanceOf(LimitExceededException.class);
            assertThat(messages.alone()).isEqualTo("done");
        });
    }

    @Test
    void a_call_waits_for_a_permit() {
        run(context -> {
            Messages messages = context.getBean(Messages.class);
            messages.waiting();
            messages.waiting();
            AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
            CompletableFuture<String> third = CompletableFuture.supplyAsync(() -> {
                waiter.set(Thread.currentThread());
                return messages.waiting();
            }, task -> new Thread(task).start());
            awaitWait(waiter);
            assertThat(third).isNotDone();
            context.getBean(PolicyRegistry.class).limiter("all").reset(io.headgate.limits.Attributes.none());
            assertThat(third.join()).isEqualTo("sent");
        });
    }

    @Test
    void an_interrupted_wait_ends_the_call() {
        withMessages(messages -> {
            messages.waiting();
            messages.waiting();
            Thread.currentThread().interrupt();
            assertThatThrownBy(messages::waiting).isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    private static void awaitWait(AtomicReference<@Nullable Thread> waiter) {
        Thread thread = waiter.get();
        while (thread == null
                || !(thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING)) {
            Thread.onSpinWait();
            thread = waiter.get();
        }
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

    @Test
    void a_class_limits_its_methods_except_those_with_annotations_of_their_own() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            limited.one();
            limited.one();
            assertThatThrownBy(limited::one).isInstanceOf(LimitExceededException.class);
            assertThat(limited.free()).isEqualTo("sent");
            assertThat(limited.own("alice")).isEqualTo("sent");
            assertThat(limited).hasToString("limited");
        });
    }
}
