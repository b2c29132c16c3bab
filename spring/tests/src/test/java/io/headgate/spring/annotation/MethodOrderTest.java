package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitListener;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Tests in which order authorization, limits, transactions, caches, retries and asynchronous calls are applied. */
class MethodOrderTest {

    static class Messages {

        private final AtomicInteger calls = new AtomicInteger();

        @RateLimited(policy = "all")
        @PreAuthorize("hasRole('SENDER')")
        @Transactional
        String send() {
            return "sent";
        }

        @RateLimited(policy = "all")
        @Cacheable("texts")
        String cached() {
            return "text" + calls.incrementAndGet();
        }

        @RateLimited(policy = "all")
        @Async
        CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("sent");
        }
    }

    /** Keeps the names of the threads that decide. */
    static class Threads implements LimitListener {

        final List<String> names = new CopyOnWriteArrayList<>();

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            names.add(Thread.currentThread().getName());
        }
    }

    /** Counts the transactions that begin. */
    static class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1;

        final AtomicInteger started = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            started.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    @EnableTransactionManagement
    @EnableCaching
    @EnableAsync
    static class Application {

        @Bean
        Messages messages() {
            return new Messages();
        }

        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        AsyncTaskExecutor senders() {
            return new SimpleAsyncTaskExecutor("sender-");
        }

        @Bean
        Threads threads() {
            return new Threads();
        }

        @Bean
        PlatformTransactionManager transactions() {
            return new Transactions();
        }
    }

    private static void loginAs(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", "", role));
    }

    @AfterEach
    void logout() {
        SecurityContextHolder.clearContext();
    }

    private static long remaining(AssertableApplicationContext context) {
        return context.getBean(PolicyRegistry.class)
                .limiter("all")
                .peek(PermitRequest.global())
                .remaining();
    }

    @Test
    void a_call_is_authorized_then_limited_and_then_a_transaction_begins() {
        Limits.APPLICATION.withUserConfiguration(Application.class).run(context -> {
            Messages messages = context.getBean(Messages.class);
            AtomicInteger started = context.getBean(Transactions.class).started;
            loginAs("ROLE_READER");
            assertThatThrownBy(messages::send).isInstanceOf(AccessDeniedException.class);
            assertThat(remaining(context)).isEqualTo(2);

            loginAs("ROLE_SENDER");
            messages.send();
            messages.send();
            assertThat(started).hasValue(2);
            assertThatThrownBy(messages::send).isInstanceOf(LimitExceededException.class);
            assertThat(started).hasValue(2);
        });
    }

    @Test
    void a_call_is_limited_before_the_cache_is_read() {
        Limits.APPLICATION.withUserConfiguration(Application.class).run(context -> {
            Messages messages = context.getBean(Messages.class);
            assertThat(List.of(messages.cached(), messages.cached())).containsOnly("text1");
            assertThatThrownBy(messages::cached).isInstanceOf(LimitExceededException.class);
        });
    }

    @Test
    void an_asynchronous_call_is_limited_on_the_thread_that_runs_it() {
        Limits.APPLICATION.withUserConfiguration(Application.class).run(context -> {
            Messages messages = context.getBean(Messages.class);
            assertThat(messages.later().join()).isEqualTo("sent");
            messages.later().join();
            assertThat(messages.later())
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(LimitExceededException.class);
            assertThat(context.getBean(Threads.class).names).hasSize(3).allMatch(name -> name.startsWith("sender-"));
        });
    }

    @Test
    void a_call_that_is_retried_is_charged_as_the_guide_says() {
        Limits.APPLICATION.withUserConfiguration(Retries.class).run(context -> {
            Retries.Sender sender = context.getBean(Retries.Sender.class);
            assertThatThrownBy(sender::send).isInstanceOf(IllegalStateException.class);
            assertThat(sender.attempts()).isEqualTo(2);
            assertThat(remaining(context)).isEqualTo(2 - Retries.CHARGES_OF_TWO_ATTEMPTS);
        });
    }
}
