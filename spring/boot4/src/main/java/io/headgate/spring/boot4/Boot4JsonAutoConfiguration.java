package io.headgate.spring.boot4;

import io.headgate.spring.queues.PayloadConverter;
import io.headgate.spring.queues.internal.QueuesAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Converts payloads of jobs by the Jackson 3 that Spring Boot 4 configures. */
@AutoConfiguration(after = JacksonAutoConfiguration.class, before = QueuesAutoConfiguration.class)
@ConditionalOnClass({JsonMapper.class, JacksonAutoConfiguration.class})
public class Boot4JsonAutoConfiguration {

    /** Creates the configuration. */
    Boot4JsonAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(JsonMapper.class)
    @ConditionalOnMissingBean
    PayloadConverter headgatePayloadConverter(JsonMapper mapper) {
        return new Boot4JsonConverter(mapper);
    }
}
