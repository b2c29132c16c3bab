package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import java.util.Objects;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Tests calls of methods that hold permits or wait for them. */
class InFlightCallsTest {

    static class Messages {

        private final AtomicReference<Runnable> during = new AtomicReference<>(() -> {});

        AtomicReference<Runnable> during() {
            return during;
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

        @InFlight(policy = "one-of-user", by = "user: #user")
        String of(String user) {
            return "done";
        }

        @RateLimited(policy = "all", maxWait = "1d")
        String waiting() {
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

    @Test
    void a_call_holds_its_permit_until_it_returns_or_throws() {
        withMessages(messages -> {
            messages.during().set(() -> {
                assertThatThrownBy(messages::alone)
                        .isInstanceOf(InFlightExceededException.class)
                        .hasMessageContaining("too few are free");
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
    void a_call_of_a_banned_user_is_denied_with_the_status_of_bans() {
        run(context -> {
            Messages messages = context.getBean(Messages.class);
            context.getBean(LimitEngine.class)
                    .bans()
                    .add(BanRequest.ban(BanTarget.user("mallory")).because("card testing"));
            assertThatThrownBy(() -> messages.of("mallory"))
                    .isInstanceOfSatisfying(
                            InFlightExceededException.class,
                            denied -> assertThat(denied.getStatusCode().value()).isEqualTo(403))
                    .hasMessage("These requests are banned.");
            assertThat(messages.of("alice")).isEqualTo("done");
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
        Awaitility.await("a wait for a permit").atMost(Duration.ofSeconds(60)).until(() -> {
            Thread thread = waiter.get();
            return thread != null
                    && (thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
        });
    }
}
