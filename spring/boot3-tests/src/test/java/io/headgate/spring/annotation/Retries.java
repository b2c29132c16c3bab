package io.headgate.spring.annotation;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.RetryConfiguration;
import org.springframework.retry.annotation.Retryable;

/** Retries by Spring Retry. Its {@code @EnableRetry} imports this configuration, and needs AspectJ besides. */
@Configuration(proxyBeanMethods = false)
@Import(RetryConfiguration.class)
class Retries {

    static final int CHARGES_OF_TWO_ATTEMPTS = 1;

    static class Sender {

        private final AtomicInteger attempts = new AtomicInteger();

        @RateLimited(policy = "all")
        @Retryable(maxAttempts = 2, backoff = @Backoff(delay = 0))
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
