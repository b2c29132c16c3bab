package io.headgate.spring.annotation;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** Retries by Spring 7 itself. */
@Configuration(proxyBeanMethods = false)
@EnableResilientMethods
class Retries {

    static final int CHARGES_OF_TWO_ATTEMPTS = 2;

    static class Sender {

        private final AtomicInteger attempts = new AtomicInteger();

        @RateLimited(policy = "all")
        @Retryable(maxRetries = 1, delay = 0)
        void send() {
            attempts.incrementAndGet();
            throw new IllegalStateException("as the test wants");
        }

        int attempts() {
            return attempts.get();
        }
    }

    @Bean
    Sender sender() {
        return new Sender();
    }
}
