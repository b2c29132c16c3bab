package io.headgate.spring;

import io.headgate.spring.boot4.Boot4RedisAutoConfiguration;
import java.util.TreeMap;
import io.headgate.spring.boot3.Boot3HealthAutoConfiguration;
import io.headgate.spring.boot3.Boot3RedisAutoConfiguration;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.data.redis.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.autoconfigure.data.redis.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** What differs in tests on Spring Boot 3. */
final class Line {

    static final String SPRING_BOOT = "3.5.16";
    static final String LETTUCE = "6.6.0.RELEASE";
    static final String NETTY = "4.1.";

    static final Class<?> MODULE = Boot3RedisAutoConfiguration.class;
    static final Class<?> MODULE_OF_OTHER_LINE = Boot4RedisAutoConfiguration.class;

    private Line() {}

    /** The auto-configurations of Headgate without routes, and those of Redis. */
    static AutoConfigurations autoConfigurations() {
        return AutoConfigurations.of(
                HeadgateAutoConfiguration.class,
                Boot3HealthAutoConfiguration.class,
                Boot3RedisAutoConfiguration.class,
                RedisAutoConfiguration.class,
                SslAutoConfiguration.class);
    }

    /** Adds a bean of connection details, as Testcontainers and Docker Compose do. */
    static void addConnectionDetails(GenericApplicationContext context, String host, int port) {
        context.registerBean(RedisConnectionDetails.class, () -> new RedisConnectionDetails() {
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
        Health health = context.getBean("headgateHealthIndicator", HealthIndicator.class).health();
        Map<String, Object> all = new TreeMap<>(health.getDetails());
        all.put("status", health.getStatus().getCode());
        return all;
    }
}
