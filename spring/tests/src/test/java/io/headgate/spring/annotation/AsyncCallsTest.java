package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/** Tests calls of methods that return stages and publishers. */
class AsyncCallsTest {

    static class Messages {

        private final AtomicInteger runs = new AtomicInteger();
        private final Queue<CompletableFuture<String>> stages = new ConcurrentLinkedQueue<>();
        private final Queue<Sinks.One<String>> sinks = new ConcurrentLinkedQueue<>();

        AtomicInteger runs() {
            return runs;
        }

        Queue<CompletableFuture<String>> stages() {
            return stages;
        }

        Queue<Sinks.One<String>> sinks() {
            return sinks;
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

        @RateLimited(policy = "all")
        Mono<String> mono() {
            runs.incrementAndGet();
            return Mono.just("sent");
        }

        @RateLimited(policy = "user", by = "user: #user", fallbackMethod = "laterMono")
        Mono<String> monoWithFallback(String user) {
            return Mono.just("sent");
        }

        Mono<String> laterMono(String user, Throwable denial) {
            return Mono.just(user + " later");
        }

        @RateLimited(policy = "all")
        Flux<Integer> flux() {
            return Flux.range(0, 3);
        }

        @InFlight(policy = "one")
        Mono<String> aloneMono() {
            Sinks.One<String> sink = Sinks.one();
            sinks.add(sink);
            return sink.asMono();
        }

        @InFlight(policy = "one")
        Flux<Integer> aloneFlux() {
            return Flux.concat(Flux.just(1), Flux.never());
        }

        @InFlight(policy = "one", maxWait = "1d")
        Mono<String> waitingMono() {
            return Mono.just("sent");
        }

        @RateLimited(policy = "user", by = "user: T(reactor.core.publisher.Mono).just(#user)")
        Mono<String> byMono(String user) {
            return Mono.just("sent");
        }

        @RateLimited(policy = "user", by = "user: target.currentUser()", permits = "target.permits()")
        Mono<String> byContext() {
            return Mono.just("sent");
        }

        @RateLimited(policy = "user", by = "user: target.currentUser()")
        Flux<Integer> fluxByContext() {
            return Flux.range(0, 3);
        }

        public Mono<String> currentUser() {
            return Mono.deferContextual(context -> Mono.just(context.get("user")));
        }

        public Mono<Integer> permits() {
            return Mono.deferContextual(context -> Mono.just(context.get("permits")));
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
            while (messages.stages().isEmpty()) {
                Thread.onSpinWait();
            }
            messages.stages().remove().complete("second");
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
            while (messages.stages().isEmpty()) {
                Thread.onSpinWait();
            }
            messages.stages().remove().complete("third");
            assertThat(third.join()).isEqualTo("third");
            assertThat(messages.stages()).isEmpty();
            assertThat(held(registry)).isZero();
        });
    }

    @Test
    void each_subscription_is_a_call() {
        run((messages, registry) -> {
            Mono<String> mono = messages.mono();
            assertThat(messages.runs()).hasValue(0);
            assertThat(mono.block()).isEqualTo("sent");
            assertThat(mono.block()).isEqualTo("sent");
            assertThatThrownBy(mono::block).isInstanceOf(LimitExceededException.class);
            assertThat(messages.runs()).hasValue(2);
        });
    }

    @Test
    void each_subscription_passes_the_interceptors_behind_the_limits() {
        AtomicInteger passed = new AtomicInteger();
        MethodInterceptor interceptor = invocation -> {
            passed.incrementAndGet();
            return invocation.proceed();
        };
        Limits.APPLICATION
                .withBean(Messages.class)
                .withBean(
                        "behind",
                        NameMatchMethodPointcutAdvisor.class,
                        () -> {
                            NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(interceptor);
                            advisor.setMappedName("mono");
                            return advisor;
                        },
                        definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
                .run(context -> {
                    Mono<String> mono = context.getBean(Messages.class).mono();
                    mono.block();
                    mono.block();
                    assertThat(passed).hasValue(2);
                });
    }

    @Test
    void a_denied_publisher_fails_or_is_that_of_the_fallback() {
        run((messages, registry) -> {
            assertThat(messages.flux().collectList().block()).isEqualTo(List.of(0, 1, 2));
            messages.flux().blockLast();
            assertThatThrownBy(() -> messages.flux().blockLast()).isInstanceOf(LimitExceededException.class);
            messages.monoWithFallback("alice").block();
            messages.monoWithFallback("alice").block();
            assertThat(messages.monoWithFallback("alice").block()).isEqualTo("alice later");
        });
    }

    @Test
    void a_publisher_holds_its_permit_until_it_completes_fails_or_is_cancelled() {
        run((messages, registry) -> {
            Mono<String> mono = messages.aloneMono();
            assertThat(held(registry)).isZero();
            CompletableFuture<String> first = mono.toFuture();
            assertThatThrownBy(mono::block).isInstanceOf(InFlightExceededException.class);
            messages.sinks().remove().tryEmitValue("done");
            assertThat(first.join()).isEqualTo("done");
            assertThat(held(registry)).isZero();

            CompletableFuture<String> second = mono.toFuture();
            messages.sinks().remove().tryEmitError(new IllegalStateException("as the test wants"));
            assertThatThrownBy(second::join).hasRootCauseMessage("as the test wants");
            assertThat(held(registry)).isZero();

            Disposable third = messages.aloneFlux().subscribe();
            assertThat(held(registry)).isEqualTo(1);
            third.dispose();
            assertThat(held(registry)).isZero();
            assertThat(messages.aloneFlux().take(1).blockLast()).isEqualTo(1);
            assertThat(held(registry)).isZero();
        });
    }

    @Test
    void a_publisher_waits_for_its_permit_and_a_cancelled_one_holds_nothing() {
        run((messages, registry) -> {
            CompletableFuture<String> first = messages.aloneMono().toFuture();
            messages.waitingMono().subscribe().dispose();
            CompletableFuture<String> second = messages.waitingMono().toFuture();
            assertThat(second).isNotDone();
            messages.sinks().remove().tryEmitValue("done");
            assertThat(first.join()).isEqualTo("done");
            assertThat(second.join()).isEqualTo("sent");
            assertThat(held(registry)).isZero();
        });
    }

    @Test
    void the_publisher_of_an_expression_has_the_context_of_the_subscriber() {
        run((messages, registry) -> {
            messages.byContext().contextWrite(Context.of("user", "alice", "permits", 2)).block();
            assertThat(registry.limiter("user").peek("alice").remaining()).isZero();
            messages.fluxByContext().contextWrite(Context.of("user", "bob")).blockLast();
            assertThat(registry.limiter("user").peek("bob").remaining()).isEqualTo(1);
        });
    }

    @Test
    void an_expression_may_return_a_publisher() {
        run((messages, registry) -> {
            messages.byMono("alice").block();
            assertThat(registry.limiter("user").peek("alice").remaining()).isEqualTo(1);
        });
    }
}
