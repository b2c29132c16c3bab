package io.headgate.spring.annotation;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.HeadgateAutoConfiguration;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Policies of an application with limited methods: {@code user} admits two calls an hour for each user, and {@code all} two of all. */
@Configuration(proxyBeanMethods = false)
class Limits {

    static final Duration HOUR = Duration.ofHours(1);

    static final ApplicationContextRunner APPLICATION = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HeadgateAutoConfiguration.class, MethodAutoConfiguration.class, AopAutoConfiguration.class))
            .withPropertyValues("headgate.engine=memory")
            .withUserConfiguration(Limits.class);

    /** The policies with another limit of {@code user}. */
    static Policies withUserLimit(long permits) {
        return Policies.of(
                java.util.List.of(Policy.of("user", Limit.slidingWindow(permits, HOUR), Attributes.USER)),
                java.util.List.of());
    }

    @Bean
    Policy user() {
        return Policy.of("user", Limit.slidingWindow(2, HOUR), Attributes.USER);
    }

    @Bean
    Policy all() {
        return Policy.of("all", Limit.slidingWindow(2, HOUR));
    }

    @Bean
    Policy shaped() {
        return Policy.of("shaped", Limit.leakyBucket(5, 1, Duration.ofSeconds(1)).shaper());
    }

    @Bean
    InFlightPolicy one() {
        return InFlightPolicy.of("one", 1);
    }

    @Bean
    InFlightPolicy oneOfUser() {
        return InFlightPolicy.of("one-of-user", 1, Attributes.USER);
    }
}
