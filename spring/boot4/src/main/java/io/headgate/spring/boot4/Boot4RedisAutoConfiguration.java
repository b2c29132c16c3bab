package io.headgate.spring.boot4;

import io.headgate.spring.HeadgateAutoConfiguration;
import io.headgate.spring.internal.RedisDetails;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Reads the connection details for Redis of Spring Boot 4. */
@AutoConfiguration(before = HeadgateAutoConfiguration.class)
@ConditionalOnClass(DataRedisConnectionDetails.class)
public class Boot4RedisAutoConfiguration {

    /** Creates the configuration. */
    Boot4RedisAutoConfiguration() {}

    @Bean
    RedisDetails headgateRedisDetails(ObjectProvider<DataRedisConnectionDetails> details) {
        return new Boot4RedisDetails(details::getIfAvailable);
    }
}
