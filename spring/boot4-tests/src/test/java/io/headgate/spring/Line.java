package io.headgate.spring;

import io.headgate.spring.boot3.Boot3RedisAutoConfiguration;
import java.util.Objects;
import java.util.TreeMap;
import io.headgate.spring.boot4.Boot4HealthAutoConfiguration;
import io.headgate.spring.boot4.Boot4RedisAutoConfiguration;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** What differs in tests on Spring Boot 4. */
final class Line {

    static final String SPRING_BOOT = "4.1.1";
    static final String LETTUCE = "7.5.2.RELEASE";
    static final String NETTY = "4.2.";

    static final Class<?> MODULE = Boot4RedisAutoConfiguration.class;
    static final Class<?> MODULE_OF_OTHER_LINE = Boot3RedisAutoConfiguration.class;

    private Line() {}

    /** The auto-configurations of Headgate without routes, and those of Redis. */
    static AutoConfigurations autoConfigurations() {
        return AutoConfigurations.of(
                HeadgateAutoConfiguration.class,
                Boot4HealthAutoConfiguration.class,
                Boot4RedisAutoConfiguration.class,
                DataRedisAutoConfiguration.class,
                SslAutoConfiguration.class);
    }

    /** Adds a bean of connection details, as Testcontainers and Docker Compose do. */
    static void addConnectionDetails(GenericApplicationContext context, String host, int port) {
        context.registerBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of(host, port);
            }
        });
    }

    /** Adds a customizer of the client of Lettuce. */
    static void addLettuceCustomizer(
            GenericApplicationContext context, Consumer<LettuceClientConfigurationBuilder> customizer) {
        context.registerBean(LettuceClientConfigurationBuilderCustomizer.class, () -> customizer::accept);
    }

    /** Adds a customizer of the client of Jedis. */
    static void addJedisCustomizer(
            GenericApplicationContext context, Consumer<JedisClientConfigurationBuilder> customizer) {
        context.registerBean(JedisClientConfigurationBuilderCustomizer.class, () -> customizer::accept);
    }

    /** The status and the details of the health of the engine. */
    static Map<String, Object> health(ApplicationContext context) {
        Health health = Objects.requireNonNull(
 context.getBean("headgateHealthIndicator", HealthIndicator.class).health());
        Map<String, Object> all = new TreeMap<>(health.getDetails());
        all.put("status", health.getStatus().getCode());
        return all;
    }
}
