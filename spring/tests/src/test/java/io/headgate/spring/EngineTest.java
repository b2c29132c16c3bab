package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.spring.internal.EngineInUse;
import io.headgate.spring.internal.RedisDetails;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Policy;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.support.GenericApplicationContext;

/** Tests which engine an application has if it reaches no Redis. */
@ExtendWith(OutputCaptureExtension.class)
class EngineTest {

    /** Nothing listens on port 1. */
    private static final String NO_REDIS = "redis://localhost:1";

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(Line.autoConfigurations());

    @Test
    void without_configuration_limits_are_counted_in_memory(CapturedOutput log) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(log).contains("Limits are counted in memory").doesNotContain("Queues are in");
            assertThat(context.getBean(LimitEngine.class)).isInstanceOf(InMemoryLimitEngine.class);
            assertThat(Line.health(context))
                    .isEqualTo(Map.of("status", "UP", "engine", "memory", "state", "healthy", "limits", "normal"));
        });
    }

    @Test
    void an_empty_host_is_no_configuration() {
        application
                .withPropertyValues("spring.data.redis.host=", "spring.data.redis.url=${NO_SUCH_VARIABLE:}")
                .withClassLoader(new FilteredClassLoader("org.springframework.data"))
                .run(context -> assertThat(Line.health(context)).containsEntry("engine", "memory"));
    }

    @Test
    void memory_can_be_chosen_although_a_redis_is_configured() {
        application
                .withPropertyValues("headgate.engine=memory", "spring.data.redis.host=localhost")
                .run(context ->
                        assertThat(context.getBean(LimitEngine.class)).isInstanceOf(InMemoryLimitEngine.class));
    }

    @Test
    void an_engine_of_the_application_is_used_and_closed_by_the_application(CapturedOutput log) {
        LimitEngine own = InMemoryLimitEngine.create();
        application
                .withBean(LimitEngine.class, () -> own)
                .withPropertyValues("headgate.redis.url=" + NO_REDIS, "headgate.engine=redis")
                .run(context -> {
                    assertThat(context.getBean(LimitEngine.class)).isSameAs(own);
                    assertThat(context).doesNotHaveBean(EngineInUse.class);
                    assertThat(log).doesNotContain("Limits are counted in");
                    assertThat(Line.health(context)).containsEntry("engine", "memory");
                });
    }

    @Test
    void listeners_that_are_beans_receive_the_decisions_of_the_engine() {
        Decisions first = new Decisions();
        Decisions second = new Decisions();
        ApplicationContextRunner listening = application
                .withBean("first", LimitListener.class, () -> first)
                .withBean("second", LimitListener.class, () -> second);
        Limit limit = Limit.slidingWindow(1, Duration.ofHours(1));
        listening.run(context -> context.getBean(LimitEngine.class).limiter("test", limit).tryAcquire("alice"));
        assertThat(first.policies).containsExactly("test");
        assertThat(second.policies).containsExactly("test");

        LimitEngine own = InMemoryLimitEngine.builder().listener(first).build();
        listening
                .withBean(LimitEngine.class, () -> own)
                .run(context -> own.limiter("own", limit).tryAcquire("alice"));
        assertThat(first.policies).containsExactly("test", "own");
        assertThat(second.policies).containsExactly("test", "own");
    }

    /** Keeps the names of the policies that decided. */
    private static final class Decisions implements LimitListener {

        final List<String> policies = new ArrayList<>();

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            policies.add(policy.name());
        }
    }

    @Test
    void an_application_starts_while_redis_is_down_and_decides_by_its_shares() {
        application
                .withPropertyValues("headgate.redis.url=" + NO_REDIS, "headgate.redis.expected-instances=2")
                .withBean(Policy.class, () -> Policy.of("api", Limit.slidingWindow(4, Duration.ofMinutes(1)), "user"))
                .run(context -> {
                    assertThat(context.getBean(PolicyRegistry.class)
                                    .limiter("api")
                                    .tryAcquire("alice")
                                    .remaining())
                            .isEqualTo(1);
                    assertThat(Line.health(context))
                            .isEqualTo(Map.of(
                                    "status", "UP", "engine", NO_REDIS, "state", "degraded", "limits", "degraded"));
                });
    }

    @Test
    void health_and_log_have_the_queues_of_an_application_that_uses_them(CapturedOutput log) {
        application.withPropertyValues("headgate.redis.url=" + NO_REDIS).run(context -> {
            assertThat(log).contains("Limits are counted in " + NO_REDIS).doesNotContain("Queues are in");
            assertThat(Line.health(context)).doesNotContainKey("queues");
            context.getBean(QueueEngine.class);
            assertThat(log).contains("Queues are in " + NO_REDIS);
            assertThat(Line.health(context)).containsEntry("queues", "unavailable").containsEntry("status", "UP");
        });
    }

    @Test
    void an_application_starts_while_the_redis_of_its_lettuce_is_down() {
        startsWithoutRedis("spring.data.redis.port=1", "spring.data.redis.host=localhost");
    }

    @Test
    void an_application_starts_while_the_redis_of_its_jedis_is_down() {
        startsWithoutRedis("spring.data.redis.url=" + NO_REDIS, "spring.data.redis.client-type=jedis");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void the_log_has_the_redis_of_spring_data_without_its_password(String client, CapturedOutput log) {
        application
                .withPropertyValues(
                        "spring.data.redis.client-type=" + client,
                        "spring.data.redis.host=localhost",
                        "spring.data.redis.port=1",
                        "spring.data.redis.username=alice",
                        "spring.data.redis.password=s3cret",
                        "spring.data.redis.database=3")
                .run(context -> {
                    assertThat(log)
                            .containsOnlyOnce("Limits are counted in ")
                            .containsPattern("Limits are counted in redis://localhost:1\\R")
                            .doesNotContain("Queues are in");
                    context.getBean(QueueEngine.class);
                    assertThat(log)
                            .containsPattern("Queues are in redis://localhost:1\\R")
                            .doesNotContain("s3cret");
                });
    }

    @Test
    void the_log_has_the_sentinels_of_spring_data(CapturedOutput log) {
        startsDegraded("spring.data.redis.sentinel.master=primary", "spring.data.redis.sentinel.nodes=localhost:1");
        assertThat(log).containsPattern("Limits are counted in redis-sentinel://localhost:1[^ ]*\\R");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-sentinel://localhost:1#primary", "redis-cluster://localhost:1"})
    void an_application_starts_while_no_sentinel_or_node_replies(String url) {
        startsDegraded("headgate.redis.url=" + url);
    }

    @Test
    void an_application_starts_while_the_sentinels_of_spring_data_are_down() {
        startsDegraded("spring.data.redis.sentinel.master=primary", "spring.data.redis.sentinel.nodes=localhost:1");
    }

    private void startsDegraded(String... properties) {
        application.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(Line.health(context)).containsEntry("limits", "degraded");
        });
    }

    private void startsWithoutRedis(String... properties) {
        application.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(LimitEngine.class)).isInstanceOf(RedisLimitEngine.class);
            assertThat(Line.health(context)).containsEntry("engine", NO_REDIS).containsEntry("limits", "degraded");
        });
    }

    @Test
    void a_connection_factory_of_the_application_is_a_configuration_although_it_uses_the_default_host() {
        application
                .withInitializer(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                LettuceConnectionFactory.class,
                                () -> new LettuceConnectionFactory(
                                        "localhost", 1)))
                .run(context ->
                        assertThat(Line.health(context)).containsEntry("engine", NO_REDIS));
    }

    @Test
    void the_engine_is_closed_with_the_context() {
        LimitEngine[] used = new LimitEngine[1];
        application.run(context -> used[0] = context.getBean(LimitEngine.class));

        assertThatThrownBy(() -> used[0].allow("test", "alice", 1, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void without_redis_the_engine_redis_fails_the_start() {
        application.withPropertyValues("headgate.engine=redis").run(context -> assertFailure(
 context,
                HeadgateConfigurationException.class,
                "headgate.engine is redis, but the application configures no Redis."));
    }

    @Test
    void a_wrong_setting_of_redis_fails_the_start_also_in_memory() {
        application
                .withPropertyValues("headgate.redis.ur1=redis://:secret@host")
                .run(context -> assertFailure(
 context,
                        ConfigException.class,
                        "headgate.redis.ur1 (\"headgate.redis.ur1\" from property source \"test\"): unknown key; did you mean url?"));
    }

    @Test
    void two_policies_with_the_same_name_fail_the_start() {
        application
                .withBean("a", Policy.class, () -> Policy.of("api", Limit.slidingWindow(4, Duration.ofMinutes(1))))
                .withPropertyValues(
                        "headgate.policies.api.rules.all.fixed-window.permits=1",
                        "headgate.policies.api.rules.all.fixed-window.window=1s")
                .run(context -> assertFailure(
 context,
                        ConfigException.class,
                        "two policies are named api: one of headgate.policies, one of a bean; rename or remove one"));
    }

    @Test
    void a_redis_of_the_application_without_spring_data_fails_the_start() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.data"))
                .withPropertyValues("spring.data.redis.host=localhost")
                .run(context -> assertFailure(
 context,
                        HeadgateConfigurationException.class,
                        "spring.data.redis.host configures a Redis, but there is no bean of the type RedisConnectionFactory."));
    }

    @Test
    void connection_details_without_spring_data_fail_the_start() {
        application
                .withBean(RedisDetails.class, () -> new RedisDetails() {
                    @Override
                    public boolean areOfApplication() {
                        return true;
                    }

                    @Override
                    public Optional<SslBundle> sslBundle() {
                        return Optional.empty();
                    }
                }, definition -> definition.setPrimary(true))
                .withClassLoader(new FilteredClassLoader("org.springframework.data"))
                .run(context -> assertFailure(
                        context,
                        HeadgateConfigurationException.class,
                        "A bean of connection details configures a Redis, but there is no bean of the type RedisConnectionFactory."));
    }

    @Test
    void a_primary_with_replicas_but_without_sentinels_fails_the_start() {
        application
                .withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:1,localhost:2")
                .run(context -> assertFailure(
                        context,
                        HeadgateConfigurationException.class,
                        "Headgate cannot use spring.data.redis.masterreplica"));
    }

    @Test
    void without_spring_data_limits_are_counted_in_memory_or_in_the_redis_of_headgate() {
        ApplicationContextRunner without =
                application.withClassLoader(new FilteredClassLoader("org.springframework.data", "redis.clients"));
        without.run(context -> assertThat(Line.health(context)).containsEntry("engine", "memory"));
        without.withPropertyValues("headgate.redis.url=" + NO_REDIS)
                .run(context -> assertThat(Line.health(context)).containsEntry("engine", NO_REDIS));
    }

    @Test
    void several_clients_fail_the_start_unless_one_is_primary() {
        ApplicationContextRunner one = application.withBean(
                "a", RedisClient.class, () -> RedisClient.create(NO_REDIS));
        one.withBean("b", RedisClient.class, () -> RedisClient.create(NO_REDIS))
                .run(context -> assertFailure(
 context,
                        HeadgateConfigurationException.class,
                        "There are several beans of the type io.lettuce.core.RedisClient, and none is primary."));
        one.withBean(
                        "b",
                        RedisClient.class,
                        () -> RedisClient.create(NO_REDIS),
                        definition -> definition.setPrimary(true))
                .run(context ->
                        assertThat(Line.health(context)).containsEntry("engine", "Redis, by the client of the application"));
    }

    @Test
    void policies_of_properties_a_file_and_beans_are_those_of_the_registry() {
        application
                .withBean(Policy.class, () -> Policy.of("bean", Limit.slidingWindow(4, Duration.ofMinutes(1))))
                .withBean(InFlightPolicy.class, () -> InFlightPolicy.of("exports", 2, "user"))
                .withPropertyValues(
                        "headgate.policies.property.rules.all.fixed-window.permits=1",
                        "headgate.policies.property.rules.all.fixed-window.window=1s",
                        "headgate.policies-from=file:../../examples/policies.yaml")
                .run(context -> {
                    Policies policies = context.getBean(PolicyRegistry.class).policies();
                    assertThat(policies.names()).containsExactlyInAnyOrder("property", "api", "bean");
                    assertThat(policies.inFlight()).extracting(InFlightPolicy::name).containsExactly("exports");
                });
    }

    private static void assertFailure(
            AssertableApplicationContext context, Class<? extends Throwable> type, String message) {
        assertThat(context.getStartupFailure()).hasStackTraceContaining(type.getName() + ": " + message);
    }
}
