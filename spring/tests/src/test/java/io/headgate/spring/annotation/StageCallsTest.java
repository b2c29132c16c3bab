package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Tests calls of methods that return stages. */
class StageCallsTest {

    static class Messages {

        private final AtomicInteger runs = new AtomicInteger();
        private final Queue<CompletableFuture<String>> stages = new ConcurrentLinkedQueue<>();

        AtomicInteger runs() {
            return runs;
        }

        Queue<CompletableFuture<String>> stages() {
            return stages;
        }

        @RateLimited(policy = "all")
        CompletableFuture<String> stage() {
            runs.incrementAndGet();
            return CompletableFuture.completedFuture("sent");
        }

        @RateLimited(policy = "all", fallbackMethod = "later")
        CompletionStage<String> stageWithFallback() {
            return CompletableFuture.completedFuture("sent");
        }

        CompletionStage<String> later() {
            return CompletableFuture.completedFuture("later");
        }

        @InFlight(policy = "one")
        CompletableFuture<String> aloneStage() {
            CompletableFuture<String> stage = new CompletableFuture<>();
            stages.add(stage);
            return stage;
        }

        @InFlight(policy = "one", maxWait = "1d", maxWaiting = 1)
        CompletableFuture<String> waitingStage() {
            return aloneStage();
        }

        @InFlight(policy = "one", maxWait = "1d")
        @RateLimited(policy = "all")
        CompletableFuture<String> chargedStage() {
            return aloneStage();
        }

        @InFlight(policy = "one")
        CompletableFuture<String> throwingStage() {
            throw new IllegalStateException("as the test wants");
        }
    }

    private static void run(BiConsumer<Messages, PolicyRegistry> test) {
        Limits.APPLICATION.withBean(Messages.class).run((AssertableApplicationContext context) -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(Messages.class), context.getBean(PolicyRegistry.class));
        });
    }

    private static void run(Executor executor, BiConsumer<Messages, PolicyRegistry> test) {
        Limits.APPLICATION
                .withBean(Messages.class)
                .withBean("applicationTaskExecutor", Executor.class, () -> executor)
                .run(context -> test.accept(context.getBean(Messages.class), context.getBean(PolicyRegistry.class)));
    }

    private static long remaining(PolicyRegistry registry) {
        return registry.limiter("all").peek(PermitRequest.global()).remaining();
    }

    private static long held(PolicyRegistry registry) {
        return registry.inFlight("one").peek(PermitRequest.global()).rules().get(0).held();
    }

    private static CompletableFuture<String> nextRun(Messages messages) {
        return Awaitility.await("a run of the method")
                .atMost(Duration.ofSeconds(10))
                .until(() -> messages.stages().poll(), Objects::nonNull);
    }

    @Test
    void a_denied_stage_fails() {
        run((messages, registry) -> {
            assertThat(messages.stage().join()).isEqualTo("sent");
            assertThat(messages.stage().join()).isEqualTo("sent");
            assertThatThrownBy(() -> messages.stage().join()).hasCauseInstanceOf(LimitExceededException.class);
            assertThat(messages.runs()).hasValue(2);
            assertThat(messages.stageWithFallback().toCompletableFuture().join()).isEqualTo("later");
        });
    }

    @Test
    void a_stage_holds_its_permit_until_it_completes_or_fails() {
        run((messages, registry) -> {
            CompletableFuture<String> first = messages.aloneStage();
            assertThatThrownBy(() -> messages.aloneStage().join()).hasCauseInstanceOf(InFlightExceededException.class);
            messages.stages().remove().complete("done");
            assertThat(first.join()).isEqualTo("done");
            CompletableFuture<String> second = messages.aloneStage();
            messages.stages().remove().completeExceptionally(new IllegalStateException("as the test wants"));
            assertThatThrownBy(second::join).hasRootCauseMessage("as the test wants");
            assertThat(held(registry)).isZero();
            assertThatThrownBy(() -> messages.throwingStage().join()).hasRootCauseMessage("as the test wants");
            assertThat(held(registry)).isZero();
        });
    }

    @Test
    void a_cancelled_stage_releases_its_permit_and_cancels_the_stage_of_the_method() {
        run((messages, registry) -> {
            messages.aloneStage().cancel(true);
            assertThat(held(registry)).isZero();
            assertThat(messages.stages().remove()).isCancelled();
        });
    }

    @Test
    void a_stage_that_the_caller_completes_holds_its_permit_until_the_stage_of_the_method_ends() {
        run((messages, registry) -> {
            messages.aloneStage().complete("given up");
            assertThat(held(registry)).isEqualTo(1);
            messages.stages().remove().complete("done");
            assertThat(held(registry)).isZero();
        });
    }

    @Test
    void a_stage_that_is_cancelled_before_its_thread_runs_it_never_runs() {
        Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        run(tasks::add, (messages, registry) -> {
            messages.aloneStage();
            CompletableFuture<String> second = messages.chargedStage();
            messages.stages().remove().complete("first");
            Awaitility.await().until(() -> !tasks.isEmpty());
            assertThat(held(registry)).isEqualTo(1);
            assertThat(remaining(registry)).isEqualTo(1);

            second.cancel(true);
            tasks.remove().run();

            assertThat(messages.stages()).isEmpty();
            assertThat(held(registry)).isZero();
            assertThat(remaining(registry)).isEqualTo(2);
        });
    }

    @Test
    void a_stage_that_the_executor_rejects_keeps_no_permit() {
        Executor rejecting = task -> {
            throw new RejectedExecutionException("as the test wants");
        };
        run(rejecting, (messages, registry) -> {
            messages.aloneStage();
            CompletableFuture<String> second = messages.chargedStage();
            messages.stages().remove().complete("first");
            assertThatThrownBy(second::join).hasRootCauseMessage("as the test wants");
            assertThat(held(registry)).isZero();
            assertThat(remaining(registry)).isEqualTo(2);
        });
    }

    @Test
    void a_bounded_number_of_stages_waits() {
        run((messages, registry) -> {
            CompletableFuture<String> first = messages.aloneStage();
            CompletableFuture<String> second = messages.waitingStage();
            assertThat(second).isNotDone();
            CompletableFuture<String> third = messages.waitingStage();
            assertThat(third).isCompletedExceptionally();
            assertThatThrownBy(third::join).hasCauseInstanceOf(InFlightExceededException.class);
            messages.stages().remove().complete("first");
            assertThat(first.join()).isEqualTo("first");
            nextRun(messages).complete("second");
            assertThat(second.join()).isEqualTo("second");
        });
    }

    @Test
    void a_stage_that_is_cancelled_while_it_waits_never_runs() {
        run((messages, registry) -> {
            messages.aloneStage();
            CompletableFuture<String> second = messages.waitingStage();
            second.cancel(true);
            // The next one waits, as the place of the cancelled one is free.
            CompletableFuture<String> third = messages.waitingStage();
            assertThat(third).isNotDone();
            messages.stages().remove().complete("first");
            nextRun(messages).complete("third");
            assertThat(third.join()).isEqualTo("third");
            assertThat(messages.stages()).isEmpty();
            assertThat(held(registry)).isZero();
        });
    }
}
