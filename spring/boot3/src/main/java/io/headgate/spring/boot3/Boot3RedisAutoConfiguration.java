package io.headgate.spring.boot3;

import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.RedisDetails;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Reads the connection details for Redis of Spring Boot 3. */
@AutoConfiguration(before = HeadgateAutoConfiguration.class)
@ConditionalOnClass(RedisConnectionDetails.class)
public class Boot3RedisAutoConfiguration {

    /** Creates the configuration. */
    Boot3RedisAutoConfiguration() {}

    @Bean
    RedisDetails headgateRedisDetails(ObjectProvider<RedisConnectionDetails> details) {
        return new Boot3RedisDetails(details::getIfAvailable);
    }
}
