package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.settings.RedisConfig;
import io.headgate.config.settings.RedisEngineSettings;
import io.headgate.config.sources.PolicySource;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.spring.HeadgateEnvironment.RedisProperties;
import io.headgate.spring.HeadgateProperties.Engine;
import io.headgate.spring.internal.EngineInUse;
import io.headgate.spring.internal.QueueEngineInUse;
import io.headgate.spring.internal.RedisDetails;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** Creates the engines: on the first Redis that the application configures, otherwise in memory for limits. */
final class EngineSelection {

    private static final String MASTER_REPLICA = "spring.data.redis.masterreplica";

    private static final String EXCEPTIONS =
            "headgate.redis.connection-required is true, headgate.redis.fallback is none, or it is a Cluster of the application";

    /** In the order of Spring Boot: the first one that is set decides. */
    private static final List<String> SPRING_REDIS = List.of(
            "spring.data.redis.sentinel",
            "spring.data.redis.cluster",
            MASTER_REPLICA,
            "spring.data.redis.url",
            "spring.data.redis.host");

    private final Engine wanted;
    private final HeadgateEnvironment environment;
    private final ListableBeanFactory beans;

    EngineSelection(Engine wanted, HeadgateEnvironment environment, ListableBeanFactory beans) {
        this.wanted = wanted;
        this.environment = environment;
        this.beans = beans;
    }

    /**
     * A Redis that the application configures.
     *
     * @param settings the settings of the engines
     * @param description describes it for errors, without a password
     * @param isOfApplication whether it is described so for logs, too; otherwise, the engine describes it
     * @param closing shuts down its client
     */
    private record SelectedRedis(
            RedisEngineSettings settings, String description, boolean isOfApplication, Runnable closing) {

        /** Builds an engine, and shuts the client down if that fails. */
        <T> T build(Function<RedisEngineSettings, T> builder) {
            try {
                return builder.apply(settings);
            } catch (LimiterException | QueueException | RedisException e) {
                closing.run();
                throw new HeadgateConfigurationException(
                        "Headgate cannot use " + description + ": " + e.getMessage(),
                        "Check the user, the password, the database and the certificates. A Redis that is down does not prevent the"
                                + " start, unless " + EXCEPTIONS + ".",
                        e);
            } catch (RuntimeException e) {
                closing.run();
                throw e;
            }
        }
    }

    /**
     * Creates the engine of limits.
     *
     * @throws ConfigException if a setting of {@code headgate.redis} is wrong
     * @throws HeadgateConfigurationException if there is no Redis although one is wanted, the one that is configured is not clear, or it
     *     rejects the connection
     */
    EngineInUse engine() {
        RedisProperties properties = environment.redis();
        if (wanted != Engine.MEMORY) {
            Optional<SelectedRedis> redis = redis(properties);
            if (redis.isPresent()) {
                return limitsOn(redis.get());
            }
        }
        if (wanted == Engine.REDIS) {
            throw new HeadgateConfigurationException(
                    "headgate.engine is redis, but the application configures no Redis.",
                    "Set headgate.redis.url, or spring.data.redis.url or host, or define a bean of Lettuce's RedisClient; or set"
                            + " headgate.engine to auto or memory.");
        }
        properties.requireValid();
        return new EngineInUse(InMemoryLimitEngine.create(), "memory", () -> {});
    }

    private static EngineInUse limitsOn(SelectedRedis redis) {
        RedisLimitEngine engine = redis.build(settings -> settings.limits().build());
        return new EngineInUse(
                engine, redis.isOfApplication() ? redis.description() : engine.description(), redis.closing());
    }

    /**
     * Creates the engine of queues. Queues are always in Redis, also if limits are counted in memory.
     *
     * @throws ConfigException if a setting of {@code headgate.redis} is wrong
     * @throws HeadgateConfigurationException if there is no Redis, the one that is configured is not clear, or it rejects the connection
     */
    QueueEngineInUse queues() {
        SelectedRedis redis = redis(environment.redis())
                .orElseThrow(() -> new HeadgateConfigurationException(
                        "The application uses queues, which need Redis, but it configures none.",
                        "Set headgate.redis.url, or spring.data.redis.url or host, or define a bean of Lettuce's RedisClient or of"
                                + " QueueEngine. There are no queues in memory."));
        RedisQueueEngine engine = redis.build(settings -> settings.queues().build());
        return new QueueEngineInUse(
                engine, redis.isOfApplication() ? redis.description() : engine.description(), redis.closing());
    }

    /**
     * A source of policies.
     *
     * @param closing closes what the source uses, after the source
     */
    record PolicySourceInUse(PolicySource source, Runnable closing) {}

    /**
     * Opens the policies in Redis, also if limits are counted in memory.
     *
     * @throws ConfigException if a setting of {@code headgate.redis} is wrong
     * @throws HeadgateConfigurationException if there is no Redis, the one that is configured is not clear, or it rejects the connection
     */
    PolicySourceInUse policies() {
        SelectedRedis redis = redis(environment.redis())
                .orElseThrow(() -> new HeadgateConfigurationException(
                        "headgate.policies-from is redis, but the application configures no Redis.",
                        "Set headgate.redis.url, or spring.data.redis.url or host; or read the policies from a file."));
        return new PolicySourceInUse(
                redis.build(settings -> RedisPolicyStore.connect(settings.connection())), redis.closing());
    }

    private Optional<SelectedRedis> redis(RedisProperties properties) {
        if (properties.has("url")) {
            RedisEngineSettings settings = properties.read(
                    () -> RedisConfig.fromProperties(properties.values(), HeadgateEnvironment.REDIS_PREFIX));
            return Optional.of(new SelectedRedis(settings, "the Redis of headgate.redis.url", false, () -> {}));
        }
        Optional<AbstractRedisClient> client = clientBean();
        if (client.isPresent()) {
            return Optional.of(on(
                    new ApplicationRedis.Client(client.get(), "Redis, by the client of the application", () -> {}),
                    properties));
        }
        return configurationOfApplication().map(configuration -> on(client(configuration), properties));
    }

    /** Returns what configures a Redis of the application, for errors; empty if nothing does. */
    private Optional<String> configurationOfApplication() {
        return SPRING_REDIS.stream()
                .filter(environment::isSet)
                .findFirst()
                .or(() -> bean(RedisDetails.class)
                        .filter(RedisDetails::areOfApplication)
                        .map(details -> "A bean of connection details"))
                .or(() -> bean(ApplicationRedis.class)
                        .filter(ApplicationRedis::hasFactoryOfApplication)
                        .map(redis -> "A bean of the type RedisConnectionFactory"));
    }

    private ApplicationRedis.Client client(String configuration) {
        if (configuration.equals(MASTER_REPLICA)) {
            throw new HeadgateConfigurationException(
                    "Headgate cannot use " + MASTER_REPLICA + ", as it does not follow a primary without Sentinel.",
                    "Set headgate.redis.url to the primary, or set headgate.engine to memory.");
        }
        return bean(ApplicationRedis.class)
                .flatMap(ApplicationRedis::client)
                .orElseThrow(
                        () -> new HeadgateConfigurationException(
                                configuration
                                        + " configures a Redis, but there is no bean of the type RedisConnectionFactory.",
                                "Add spring-boot-starter-data-redis, or set headgate.redis.url; or set headgate.engine to memory."));
    }

    private <T> Optional<T> bean(Class<T> type) {
        return Optional.ofNullable(beans.getBeanProvider(type).getIfAvailable());
    }

    private Optional<AbstractRedisClient> clientBean() {
        try {
            List<AbstractRedisClient> clients = Stream.of(RedisClient.class, RedisClusterClient.class)
                    .flatMap(type ->
                            Optional.<AbstractRedisClient>ofNullable(
                                    beans.getBeanProvider(type).getIfAvailable())
                                    .stream())
                    .toList();
            if (clients.size() > 1) {
                throw severalBeans("RedisClient and RedisClusterClient", null);
            }
            return clients.stream().findFirst();
        } catch (NoUniqueBeanDefinitionException e) {
            throw severalBeans(
                    e.getBeanType() == null ? "RedisClient" : e.getBeanType().getName(), e);
        }
    }

    private static SelectedRedis on(ApplicationRedis.Client redis, RedisProperties properties) {
        try {
            RedisSettings connection = redis.client() instanceof RedisClusterClient cluster
                    ? RedisSettings.of(cluster)
                    : RedisSettings.of((RedisClient) redis.client());
            RedisEngineSettings settings = properties.read(() ->
                    RedisConfig.fromProperties(properties.values(), HeadgateEnvironment.REDIS_PREFIX, connection));
            return new SelectedRedis(settings, redis.description(), true, redis.closing());
        } catch (RuntimeException e) {
            redis.closing().run();
            throw e;
        }
    }

    static HeadgateConfigurationException severalBeans(String type, @Nullable Throwable cause) {
        String problem = "There are several beans of the type " + type + ", and none is primary.";
        String action =
                "Mark the bean that Headgate should use as @Primary, set headgate.redis.url, or define a bean of the type LimitEngine.";
        return cause == null
                ? new HeadgateConfigurationException(problem, action)
                : new HeadgateConfigurationException(problem, action, cause);
    }
}
