package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.LimitExceededException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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

/** Tests in which order authorization, limits and transactions are applied. */
class MethodOrderTest {

    static class Messages {

        @RateLimited(policy = "all")
        @PreAuthorize("hasRole('SENDER')")
        @Transactional
        String send() {
            return "sent";
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
    static class Application {

        @Bean
        Messages messages() {
            return new Messages();
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
}
