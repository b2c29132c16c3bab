package io.headgate.spring.boot3;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.spring.queues.PayloadConverter;
import io.headgate.spring.queues.internal.QueuesAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Converts payloads of jobs by the Jackson 2 that Spring Boot 3 configures. */
@AutoConfiguration(after = JacksonAutoConfiguration.class, before = QueuesAutoConfiguration.class)
@ConditionalOnClass({ObjectMapper.class, JacksonAutoConfiguration.class})
public class Boot3JsonAutoConfiguration {

    /** Creates the configuration. */
    Boot3JsonAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(ObjectMapper.class)
    @ConditionalOnMissingBean
    PayloadConverter headgatePayloadConverter(ObjectMapper mapper) {
        return new Boot3JsonConverter(mapper);
    }
}
