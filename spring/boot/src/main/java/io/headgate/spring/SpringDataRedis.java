package io.headgate.spring;

import io.headgate.spring.internal.RedisDetails;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.InstanceSupplier;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.type.MethodMetadata;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of the application's connection factory.
 *
 * <p>The client is created by a second factory, which has the configuration of the application's: the same nodes, credentials, TLS,
 * customized options and threads. The client of the first factory is not used, because Spring shuts it down when it stops or pauses the
 * context, and creates another one when it starts the context again. The engine must work until the last request has ended, and
 * after a restart.
 */
final class SpringDataRedis implements ApplicationRedis {

    /** How long the engine waits at most for a Redis that accepts connections silently; the default of Spring is a minute. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    private static final String SPRING_BOOT = "org.springframework.boot.";

    private final ConfigurableListableBeanFactory beans;
    private final Optional<RedisDetails> details;

    SpringDataRedis(ConfigurableListableBeanFactory beans, Optional<RedisDetails> details) {
        this.beans = beans;
        this.details = details;
    }

    @Override
    public boolean hasFactoryOfApplication() {
        return Stream.of(beans.getBeanNamesForType(RedisConnectionFactory.class))
                .anyMatch(name -> !isOfSpringBoot(name));
    }

    private boolean isOfSpringBoot(String name) {
        if (!beans.containsBeanDefinition(name)) {
            return false;
        }
        String declaring = declaringClassOf(beans.getBeanDefinition(name));
        return declaring != null && declaring.startsWith(SPRING_BOOT);
    }

    /** Returns the class whose method creates a bean. A context that was processed ahead of time has the method itself, and no metadata. */
    private static @Nullable String declaringClassOf(BeanDefinition definition) {
        if (definition instanceof AnnotatedBeanDefinition annotated) {
            MethodMetadata method = annotated.getFactoryMethodMetadata();
            return method == null ? null : method.getDeclaringClassName();
        }
        if (definition instanceof AbstractBeanDefinition processed
                && processed.getInstanceSupplier() instanceof InstanceSupplier<?> supplier) {
            Method method = supplier.getFactoryMethod();
            return method == null ? null : method.getDeclaringClass().getName();
        }
        return null;
    }

    @Override
    public Optional<Client> client() {
        try {
            return Optional.ofNullable(
                            beans.getBeanProvider(RedisConnectionFactory.class).getIfAvailable())
                    .map(this::client);
        } catch (NoUniqueBeanDefinitionException e) {
            throw EngineSelection.severalBeans("RedisConnectionFactory", e);
        }
    }

    private Client client(RedisConnectionFactory factory) {
        if (factory instanceof LettuceConnectionFactory lettuce) {
            return client(
                    configuration(lettuce),
                    sameClient(lettuce.getClientConfiguration()).build());
        }
        if (factory instanceof JedisConnectionFactory jedis) {
            return client(configuration(jedis), clientLike(jedis.getClientConfiguration()));
        }
        throw new HeadgateConfigurationException(
                "Headgate cannot use a RedisConnectionFactory of the type "
                        + factory.getClass().getName() + ".",
                "Set headgate.redis.url, or define a bean of Lettuce's RedisClient or of LimitEngine.");
    }

    private static Client client(RedisConfiguration redis, LettuceClientConfiguration options) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(redis, options);
        factory.afterPropertiesSet();
        factory.start();
        AbstractRedisClient client = factory.getRequiredNativeClient();
        return new Client(client, describe(redis, options.isUseSsl()), factory::destroy);
    }

    private static RedisConfiguration configuration(LettuceConnectionFactory factory) {
        return Stream.<@Nullable RedisConfiguration>of(
                        factory.getClusterConfiguration(),
                        factory.getSentinelConfiguration(),
                        factory.getSocketConfiguration())
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(factory::getStandaloneConfiguration);
    }

    private static RedisConfiguration configuration(JedisConnectionFactory factory) {
        return Stream.<@Nullable RedisConfiguration>of(
                        factory.getClusterConfiguration(), factory.getSentinelConfiguration())
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(factory::getStandaloneConfiguration);
    }

    private static LettuceClientConfigurationBuilder sameClient(LettuceClientConfiguration given) {
        LettuceClientConfigurationBuilder same = LettuceClientConfiguration.builder();
        if (given.isUseSsl()) {
            var ssl = same.useSsl().verifyPeer(given.getVerifyMode());
            if (given.isStartTls()) {
                ssl.startTls();
            }
        }
        given.getClientResources().ifPresent(same::clientResources);
        given.getClientOptions().ifPresent(same::clientOptions);
        given.getClientName().ifPresent(same::clientName);
        given.getReadFrom().ifPresent(same::readFrom);
        given.getRedisCredentialsProviderFactory().ifPresent(same::redisCredentialsProviderFactory);
        Duration timeout = given.getCommandTimeout();
        return same.commandTimeout(timeout.compareTo(LONGEST_CONNECT) > 0 ? LONGEST_CONNECT : timeout)
                .shutdownTimeout(given.getShutdownTimeout())
                .shutdownQuietPeriod(given.getShutdownQuietPeriod());
    }

    private LettuceClientConfiguration clientLike(JedisClientConfiguration given) {
        LettuceClientConfigurationBuilder like =
                LettuceClientConfiguration.builder().commandTimeout(LONGEST_CONNECT);
        ClientOptions.Builder options = ClusterClientOptions.builder();
        if (given.isUseSsl()) {
            like.useSsl();
            details.flatMap(RedisDetails::sslBundle).ifPresent(bundle -> options.sslOptions(ssl(bundle)));
        }
        given.getClientName().ifPresent(like::clientName);
        return like.clientOptions(options.build()).build();
    }

    private static SslOptions ssl(SslBundle bundle) {
        SslOptions.Builder options = SslOptions.builder()
                .jdkSslProvider()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            options.cipherSuites(ciphers);
        }
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            options.protocols(protocols);
        }
        return options.build();
    }

    private static String describe(RedisConfiguration redis, boolean tls) {
        String scheme = tls ? "rediss" : "redis";
        if (redis instanceof RedisClusterConfiguration cluster) {
            return scheme + "-cluster://" + addresses(cluster.getClusterNodes());
        }
        if (redis instanceof RedisSentinelConfiguration sentinel) {
            return scheme + "-sentinel://" + addresses(sentinel.getSentinels());
        }
        return redis instanceof RedisStandaloneConfiguration single
                ? scheme + "://" + single.getHostName() + ":" + single.getPort()
                : "Redis, by a Unix domain socket";
    }

    private static String addresses(Iterable<RedisNode> nodes) {
        return StreamSupport.stream(nodes.spliterator(), false)
                .map(RedisNode::asString)
                .collect(Collectors.joining(","));
    }
}
