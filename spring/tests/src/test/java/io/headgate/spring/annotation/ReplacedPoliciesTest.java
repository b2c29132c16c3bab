package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests calls of methods after the policies of the start were replaced, or the engine was closed. */
class ReplacedPoliciesTest {

    static class Messages {

        @RateLimited(policy = "user", by = "user: #user")
        String ofUser(String user) {
            return "sent";
        }

        @RateLimited(policy = "all", maxWait = "1d")
        String waiting() {
            return "sent";
        }

        @InFlight(policy = "one")
        String alone(Supplier<String> during) {
            return during.get();
        }
    }

    private static void run(BiConsumer<Messages, PolicyRegistry> test) {
        Limits.APPLICATION
                .withBean(Messages.class)
                .run(context -> test.accept(context.getBean(Messages.class), context.getBean(PolicyRegistry.class)));
    }

    @Test
    void policies_may_be_replaced() {
        run((messages, registry) -> {
            messages.ofUser("alice");
            registry.replace(Limits.withUserLimit(1));
            assertThatThrownBy(() -> messages.ofUser("alice")).isInstanceOf(LimitExceededException.class);
            registry.replace(Limits.withUserLimit(3));
            assertThat(messages.ofUser("alice")).isEqualTo("sent");
            assertThat(messages.waiting()).isEqualTo("sent");
        });
    }

    @Test
    void calls_count_as_one_by_a_dimension_that_only_the_later_policy_has() {
        run((messages, registry) -> {
            registry.replace(Policies.of(
                    List.of(Policy.named("user")
                            .rule("of-tenant", Limit.slidingWindow(2, Limits.HOUR), Attributes.USER, "tenant")
                            .build()),
                    List.of(InFlightPolicy.named("one").rule("of-tenant", 1, "tenant").build())));
            messages.ofUser("alice");
            messages.ofUser("alice");
            assertThatThrownBy(() -> messages.ofUser("alice")).isInstanceOf(LimitExceededException.class);
            assertThat(messages.ofUser("bob")).isEqualTo("sent");
            Attributes bob = Attributes.of(Attributes.USER, "bob").with("tenant", "absent:unknown");
            assertThat(registry.limiter("user").peek(PermitRequest.of(bob)).remaining()).isEqualTo(1);

            assertThat(messages.alone(() -> {
                        assertThatThrownBy(() -> messages.alone(() -> "sent"))
                                .isInstanceOf(InFlightExceededException.class);
                        return "done";
                    }))
                    .isEqualTo("done");
        });
    }

    @Test
    void calls_run_after_the_engine_has_failed() {
        Limits.APPLICATION.withBean(Messages.class).run(context -> {
            Messages messages = context.getBean(Messages.class);
            context.getBean(LimitEngine.class).close();
            assertThat(messages.ofUser("alice")).isEqualTo("sent");
            assertThat(messages.alone(() -> "done")).isEqualTo("done");
            assertThat(messages.waiting()).isEqualTo("sent");
        });
    }
}
