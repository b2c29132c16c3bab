package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.TlsFiles;
import io.headgate.testkit.TlsRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import reactor.core.publisher.Mono;

/** Tests that limits are counted in the Redis that the application configures, in each way of configuring it. */
class ApplicationRedisIT {

    private static RedisServer redis;

    private final String prefix = "p" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        redis = RedisServer.startOwn("--requirepass", "s3cret", "--databases", "16");
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(Line.autoConfigurations())
                .withPropertyValues("headgate.redis.key-prefix=" + prefix)
                .withPropertyValues(properties);
    }

    @Test
    void a_url_of_headgate_is_used_before_the_redis_of_the_application() {
        application("headgate.redis.url=redis://:s3cret@localhost:" + redis.port(), "spring.data.redis.host=no.such.host")
                .run(context -> assertCountsIn("redis://localhost:" + redis.port(), context, 0));
    }

    @Test
    void health_has_the_state_of_the_queues() {
        application("headgate.redis.url=redis://:s3cret@localhost:" + redis.port()).run(context -> {
            QueueEngine queues = context.getBean(QueueEngine.class);
            assertThat(Line.health(context)).containsEntry("queues", "healthy");
            queues.close();
            assertThat(Line.health(context)).containsEntry("queues", "unavailable");
        });
    }

    @Test
    void a_client_bean_is_used_before_the_redis_of_the_application_and_remains_open() {
        RedisClient client = RedisClient.create(uri(0));
        try {
            application("spring.data.redis.host=no.such.host")
                    .withBean(RedisClient.class, () -> client, definition -> definition.setDestroyMethodName(""))
                    .run(context -> assertCountsIn("Redis, by the client of the application", context, 0));
            try (var connection = client.connect()) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void host_password_and_database_are_those_of_the_application(String client) {
        application(
                        "spring.data.redis.client-type=" + client,
                        "spring.data.redis.host=localhost",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.password=s3cret",
                        "spring.data.redis.database=3")
                .run(context -> {
                    assertThat(context.getBean(RedisConnectionFactory.class).getClass().getSimpleName())
                            .isEqualToIgnoringCase(client + "ConnectionFactory");
                    assertCountsIn("redis://localhost:" + redis.port(), context, 3);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void a_bean_of_connection_details_is_used(String client) {
        try (RedisServer container = RedisServer.startOwn()) {
            application("spring.data.redis.client-type=" + client)
                    .withInitializer(context -> Line.addConnectionDetails(
                            (GenericApplicationContext) context, "127.0.0.1", container.port()))
                    .run(context -> assertCounts("redis://127.0.0.1:" + container.port(), context));
        }
    }

    @Test
    void credentials_of_a_provider_and_other_changes_of_customizers_of_lettuce_are_used() {
        String name = "customized-" + prefix;
        try (RedisProbe probe = probe()) {
            probe.command("ACL", "SETUSER", name, "on", ">pr0vided", "~*", "&*", "+@all");
            application("spring.data.redis.host=localhost", "spring.data.redis.port=" + redis.port())
                    .withInitializer(context -> Line.addLettuceCustomizer(
                            (GenericApplicationContext) context,
                            client -> client.clientName(name)
                                    .redisCredentialsProviderFactory(new ProvidedCredentials(name))))
                    .run(context -> {
                        assertCountsIn("redis://localhost:" + redis.port(), context, 0);
                        assertThat(String.valueOf(probe.command("CLIENT", "LIST")))
                                .contains("name=" + name)
                                .contains("user=" + name);
                    });
        }
    }

    /** Provides a user and its password, as a vault would. */
    private record ProvidedCredentials(String user) implements RedisCredentialsProviderFactory {

        @Override
        public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
            return () -> Mono.just(RedisCredentials.just(user, "pr0vided"));
        }
    }

    @Test
    void an_application_with_customizers_of_jedis_is_limited() {
        application(
                        "spring.data.redis.client-type=jedis",
                        "spring.data.redis.host=localhost",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.password=s3cret")
                .withInitializer(context -> Line.addJedisCustomizer(
                        (GenericApplicationContext) context, client -> client.clientName("jedis-" + prefix)))
                .run(context -> {
                    assertCountsIn("redis://localhost:" + redis.port(), context, 0);
                    try (RedisProbe probe = probe()) {
                        assertThat(String.valueOf(probe.command("CLIENT", "LIST")))
                                .contains("name=jedis-" + prefix);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void a_bundle_of_certificates_is_used(String client, @TempDir Path folder) {
        TlsFiles files = TlsFiles.in(folder);
        try (TlsRedis tls = TlsRedis.start(files, files.identity("redis", "localhost"))) {
            application(
                            "spring.data.redis.client-type=" + client,
                            "spring.data.redis.host=localhost",
                            "spring.data.redis.port=" + tls.tlsPort(),
                            "spring.data.redis.ssl.bundle=redis",
                            "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + files.authority())
                    .run(context -> assertCounts("rediss://localhost:" + tls.tlsPort(), context));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void sentinels_of_the_application_are_asked_for_the_primary(String client) {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            String nodes = addresses(sentinels.sentinels());
            application(
                            "spring.data.redis.client-type=" + client,
                            "spring.data.redis.sentinel.master=" + RedisSentinels.NAME,
                            "spring.data.redis.sentinel.nodes=" + nodes)
                    .run(context -> {
                        assertThat(String.valueOf(Line.health(context).get("engine"))).startsWith("redis-sentinel://127.0.0.1:");
                        assertAdmitsOnce(context);
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void a_cluster_of_the_application_is_used(String client) {
        try (RedisCluster cluster = RedisCluster.start()) {
            application(
                            "spring.data.redis.client-type=" + client,
                            "spring.data.redis.cluster.nodes=" + addresses(cluster.nodes()))
                    .run(context -> {
                        assertThat(String.valueOf(Line.health(context).get("engine"))).startsWith("redis-cluster://127.0.0.1:");
                        assertAdmitsOnce(context);
                    });
        }
    }

    @Test
    void the_engine_works_until_the_context_has_stopped_and_after_it_has_started_again() {
        application(
                        "spring.data.redis.host=localhost",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.data.redis.password=s3cret")
                .run(context -> {
                    Limiter calls = context.getBean(LimitEngine.class)
                            .limiter("calls", Limit.slidingWindow(3, Duration.ofHours(1)));
                    assertThat(calls.tryAcquire("bob").basis()).isEqualTo(Decision.Basis.COUNTED);
                    ((ConfigurableApplicationContext) context).stop();
                    assertThat(calls.tryAcquire("bob").basis()).isEqualTo(Decision.Basis.COUNTED);
                    ((ConfigurableApplicationContext) context).start();
                    assertThat(calls.tryAcquire("bob").basis()).isEqualTo(Decision.Basis.COUNTED);
                    assertThat(calls.tryAcquire("bob").denied()).isTrue();
                });
    }

    @Test
    void a_wrong_password_fails_the_start_without_showing_it() {
        // Lettuce sometimes loses the reason of a rejection. The application then starts degraded, as if Redis were down.
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Await.until("the start to fail", Duration.ofMinutes(1), () -> {
            application("spring.data.redis.url=redis://:wr0ng@localhost:" + redis.port())
                    .run(context -> failure.set(context.getStartupFailure()));
            return failure.get() != null;
        });
        assertThat(failure.get())
                .hasStackTraceContaining("WRONGPASS")
                .hasStackTraceContaining("Headgate cannot use redis://localhost:" + redis.port() + ": ")
                .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("wr0ng"));
    }

    private void assertCountsIn(String engine, ConfigurableApplicationContext context, int database) {
        assertCounts(engine, context);
        RedisClient client = RedisClient.create(uri(database));
        try (var connection = client.connect()) {
            assertThat(connection.sync().keys(prefix + ":*")).isNotEmpty();
        } finally {
            client.shutdown();
        }
    }

    private static RedisProbe probe() {
        return RedisProbe.of("redis://:s3cret@localhost:" + redis.port());
    }

    private static RedisURI uri(int database) {
        return RedisURI.create("redis://:s3cret@localhost:" + redis.port() + "/" + database);
    }

    private static void assertCounts(String engine, ConfigurableApplicationContext context) {
        assertThat(Line.health(context)).containsEntry("engine", engine);
        assertAdmitsOnce(context);
    }

    private static void assertAdmitsOnce(ConfigurableApplicationContext context) {
        LimitEngine engine = context.getBean(LimitEngine.class);
        assertThat(engine).isInstanceOf(RedisLimitEngine.class);
        assertThat(engine.allow("alice", "call", 1, Duration.ofHours(1))).isTrue();
        assertThat(engine.allow("alice", "call", 1, Duration.ofHours(1))).isFalse();
        assertThat(Line.health(context)).containsEntry("state", "healthy").containsEntry("limits", "normal");
        // The application's own connections work as well.
        assertThat(context.getBeansOfType(StringRedisTemplate.class)).hasSize(1);
    }

    private static String addresses(List<RedisServer> servers) {
        return servers.stream()
                .map(server -> "127.0.0.1:" + server.port())
                .collect(Collectors.joining(","));
    }
}
