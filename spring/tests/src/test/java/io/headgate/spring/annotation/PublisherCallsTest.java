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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/** Tests calls of methods that return publishers. */
class PublisherCallsTest {

    static class Messages {

        private final AtomicInteger runs = new AtomicInteger();
        private final Queue<Sinks.One<String>> sinks = new ConcurrentLinkedQueue<>();

        AtomicInteger runs() {
            return runs;
        }

        Queue<Sinks.One<String>> sinks() {
            return sinks;
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

    private static long held(PolicyRegistry registry) {
        return registry.inFlight("one").peek(PermitRequest.global()).rules().get(0).held();
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
