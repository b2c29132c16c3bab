package io.headgate.spring.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with listeners, which runs during all tests of a class, and an engine with the same keys. */
final class ListenerApplication implements BeforeAllCallback, AfterAllCallback {

    private final String prefix = "l" + UUID.randomUUID();
    private final Class<?> listeners;
    private final String[] properties;

    // Present during the tests.
    private @Nullable QueueEngine engine;
    private @Nullable ConfigurableApplicationContext application;

    /**
     * Creates an application that is not started.
     *
     * @param listeners the class of its listeners, or a configuration with further beans
     */
    ListenerApplication(Class<?> listeners, String... properties) {
        this.listeners = listeners;
        this.properties = properties;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Received received() {
            return new Received();
        }
    }

    @Override
    public void beforeAll(ExtensionContext test) {
        engine = RedisQueueEngine.connect(RedisSettings.of(RedisServer.shared().url())
                .withKeyPrefix(prefix)
                .withTimeout(Duration.ofSeconds(30)));
        application = run();
    }

    @Override
    public void afterAll(ExtensionContext test) {
        context().close();
        engine().close();
    }

    /** Starts another instance. */
    ConfigurableApplicationContext run(String... more) {
        List<String> all = new ArrayList<>(redis());
        all.add("headgate.redis.timeout=30s");
        all.addAll(Arrays.asList(properties));
        return new SpringApplicationBuilder(Application.class, listeners)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new))
                .properties(more)
                .run();
    }

    /** Returns the properties of the Redis and its keys. */
    List<String> redis() {
        return List.of("headgate.redis.url=" + RedisServer.shared().url(), "headgate.redis.key-prefix=" + prefix);
    }

    String prefix() {
        return prefix;
    }

    QueueEngine engine() {
        return Objects.requireNonNull(engine);
    }

    private ConfigurableApplicationContext context() {
        return Objects.requireNonNull(application);
    }

    /** Returns what the listeners of the first instance received. */
    Received received() {
        return context().getBean(Received.class);
    }

    QueueListeners listeners() {
        return context().getBean(QueueListeners.class);
    }

    JobQueue<String> queue(String name) {
        return engine().queue(name, Codec.text());
    }

    void enqueue(String queue, String... payloads) {
        queue(queue).enqueueAll(Stream.of(payloads).map(NewJob::of).toList());
    }

    /** Returns the causes of all dead letters of a queue. */
    List<String> causes(String queue) {
        return queue(queue).deadLetters().list(100).items().stream()
                .flatMap(dead -> dead.job().causes().stream())
                .toList();
    }
}
