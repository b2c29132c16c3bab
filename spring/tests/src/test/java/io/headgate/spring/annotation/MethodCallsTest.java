package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.spring.web.LimitExceededException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Tests which calls of methods are limited, and what denied ones return. */
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
    void a_banned_call_throws_a_response_with_the_status_of_bans() {
        run(context -> {
            context.getBean(LimitEngine.class).bans().add(BanRequest.ban(BanTarget.user("alice")));
            LimitExceededException denied = catchThrowableOfType(
                    LimitExceededException.class,
                    () -> context.getBean(Messages.class).confirm(new Order("alice", List.of("a"))));
            assertThat(denied.decision().basis()).isEqualTo(Decision.Basis.BANNED);
            assertThat(denied.getStatusCode().value()).isEqualTo(403);
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
