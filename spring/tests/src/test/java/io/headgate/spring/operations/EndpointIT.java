package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.PolicyRegistry;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.spring.queues.QueueListener;
import io.headgate.spring.queues.QueueTemplate;
import io.headgate.spring.queues.StreamListener;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

/** Tests the endpoint of applications on Redis. */
class EndpointIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final JsonParser JSON = JsonParserFactory.getJsonParser();

    private static final String PROPERTIES =
            """
            management.endpoints.web.exposure.include: [headgate, health]
            management.endpoint.health:
              probes.enabled: true
              group.readiness.include: [readinessState, headgate]
            headgate:
              redis: { url: "%s", timeout: 30s, hot-keys: true, hot-keys-interval: 100ms }
              policies:
                api: { fallback: none, rules: { per-user: { by: user, sliding-window: { permits: 1, window: 1h } } } }
            """;

    @Test
    void hot_keys_are_shown_with_their_ids_only_if_values_are_shown() {
        try (RedisServer redis = RedisServer.startOwn()) {
            String properties = PROPERTIES.formatted(redis.url());
            try (Operated showing =
                            Operated.reactive("management.endpoint.headgate.show-values=always", properties);
                    Operated hiding = Operated.reactive("", properties)) {
                for (int i = 0; i < 3; i++) {
                    showing.context.getBean(PolicyRegistry.class).limiter("api").tryAcquire("alice");
                }

                Await.until("the hot keys to be written", LONG, () -> api(showing)
                        .contains("\"requested\":{\"total\":3,\"keys\":["
                                + "{\"rule\":\"per-user\",\"ids\":[\"alice\"],\"count\":3,\"error\":0}]}"));
                assertThat(api(showing)).contains("\"denied\":{\"total\":2,");
                assertThat(api(hiding))
                        .contains("\"requested\":{\"total\":3,\"keys\":["
                                + "{\"rule\":\"per-user\",\"ids\":[\"******\"],\"count\":3,\"error\":0}]}")
                        .doesNotContain("alice");
            }
        }
    }

    @Test
    void while_redis_is_down_policies_are_shown_changes_are_unavailable_and_probes_succeed() {
        RedisServer redis = RedisServer.startOwn();
        try (Operated application = Operated.reactive(
                "management.endpoint.headgate.access=unrestricted", PROPERTIES.formatted(redis.url()))) {
            redis.close();

            assertThat(api(application)).startsWith("{\"policy\":\"api\",\"allowed\":0,").doesNotContain("hotKeys");
            Await.until("the loss of the connection to be seen", LONG, () -> reset(application)
                    .body()
                    .contains("not connected to Redis; nothing was sent"));
            assertThat(reset(application).statusCode()).isEqualTo(503);
            for (String probe : List.of("readiness", "liveness")) {
                assertThat(application.get("/actuator/health/" + probe).statusCode())
                        .as(probe)
                        .isEqualTo(200);
            }
        } finally {
            redis.close();
        }
    }

    private static HttpResponse<String> reset(Operated application) {
        return application.post("/actuator/headgate/api/reset", "{\"key\":\"user=alice\"}");
    }

    /** Listeners that claim nothing, so that the counts do not change. */
    static class Listeners {

        @QueueListener(queue = "mails", id = "mails", concurrency = "2", autoStartup = "false")
        void send(String mail) {}

        @StreamListener(stream = "orders", group = "billing", id = "billing", autoStartup = "false")
        void bill(String order) {}
    }

    @Test
    void queues_streams_and_listeners_are_shown_and_those_that_cannot_be_read_have_a_problem() {
        RedisServer redis = RedisServer.startOwn();
        try (Operated application = Operated.reactive(
                "",
                PROPERTIES.formatted(redis.url()) + "  queues: { declared: { archive: { max-jobs: 10 } } }\n",
                Listeners.class)) {
            // The queue that is declared and was not used is not opened for the endpoint.
            assertThat(all(application)).doesNotContain("archive").contains("\"listeners\":");
            QueueTemplate template = application.context.getBean(QueueTemplate.class);
            template.enqueue("mails", "due");
            template.enqueue("mails", "later", Duration.ofHours(1));
            template.produce("orders", "first");
            try (QueueEngine engine = RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))) {
                engine.stream("orders", Codec.text()).group("billing").claim(1, Duration.ofSeconds(30));
            }
            assertThat(all(application))
                    .containsPattern("\"queues\":\\[\\{\"queue\":\"mails\",\"ready\":1,\"delayed\":1,\"leased\":0,"
                            + "\"dead\":0,\"done\":0,\"oldestDueSeconds\":[0-9]+,\"paused\":false}],")
                    .containsPattern("\"streams\":\\[\\{\"stream\":\"orders\",\"length\":1,\"groups\":\\[\\{"
                            + "\"group\":\"billing\",(\"lag\":0,)?\"pending\":1,\"consumers\":1}]}],")
                    .contains("\"listeners\":[{\"id\":\"billing\",\"stream\":\"orders\",\"group\":\"billing\","
                            + "\"state\":\"stopped\",\"concurrency\":10},"
                            + "{\"id\":\"mails\",\"queue\":\"mails\",\"state\":\"stopped\",\"concurrency\":2}]");

            redis.close();
            Await.until("the loss of the connection to be seen", LONG, () -> all(application)
                    .contains("not connected to Redis"));
            assertThat(all(application))
                    .contains("\"policy\":\"api\"")
                    .containsPattern("\"queues\":\\[\\{\"queue\":\"mails\",\"problem\":\"[^\"]*not connected to Redis")
                    .containsPattern("\"streams\":\\[\\{\"stream\":\"orders\",\"problem\":\"")
                    .doesNotContain("\"ready\"");
        } finally {
            redis.close();
        }
    }

    @Test
    void the_answer_has_the_members_that_the_guide_shows() throws IOException {
        Map<String, Object> shown = new LinkedHashMap<>();
        String[] samples = Files.readString(Path.of("../../docs/spring-operations.md")).split("```json\n");
        assertThat(samples).as("the guide shows the policies, then the queues").hasSize(3);
        for (String sample : List.of(samples[1], samples[2])) {
            shown.putAll(JSON.parseMap(sample.split("```")[0]));
        }
        try (RedisServer redis = RedisServer.startOwn();
                Operated application = Operated.reactive(
                        "headgate.redis.timeout=30s",
                        """
                        headgate:
                          redis.url: "%s"
                          policies.api.rules.per-user: { by: user, sliding-window: { permits: 100, window: 1m } }
                        """
                                .formatted(redis.url()),
                        Listeners.class)) {
            QueueTemplate template = application.context.getBean(QueueTemplate.class);
            template.enqueue("mails", "due");
            template.produce("orders", "first");
            try (QueueEngine engine = RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))) {
                engine.stream("orders", Codec.text()).group("billing").claim(1, Duration.ofSeconds(30));
            }

            String expected = shape(shown);
            if (majorVersion(redis) < 7) {
                assertThat(expected).contains("lag=number, ");
                expected = expected.replace("lag=number, ", "");
            }
            assertThat(shape(JSON.parseMap(all(application)))).isEqualTo(expected);
        }
    }

    /** Returns the names of all members in their order, with the types of their values. */
    private static String shape(Object json) {
        if (json instanceof Map<?, ?> members) {
            return members.entrySet().stream()
                    .map(member -> member.getKey() + "=" + shape(member.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (json instanceof List<?> elements) {
            return elements.stream().map(EndpointIT::shape).collect(Collectors.joining(", ", "[", "]"));
        }
        return json instanceof Number ? "number" : json instanceof Boolean ? "boolean" : "text";
    }

    private static int majorVersion(RedisServer redis) {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            Matcher version =
                    Pattern.compile("redis_version:([0-9]+)").matcher(String.valueOf(probe.command("INFO", "server")));
            assertThat(version.find()).isTrue();
            return Integer.parseInt(version.group(1));
        }
    }

    @Test
    void at_most_100_queues_and_100_streams_are_counted_and_the_number_of_further_ones_is_shown() {
        try (RedisServer redis = RedisServer.startOwn();
                Operated application =
                        Operated.reactive("", PROPERTIES.formatted(redis.url()))) {
            QueueTemplate template = application.context.getBean(QueueTemplate.class);
            for (int i = 100; i < 200; i++) {
                template.enqueue("queue" + i, "job");
                template.produce("stream" + i, "entry");
            }
            Map<String, Object> members = JSON.parseMap(all(application));
            assertThat(names(members, "queues", "queue")).hasSize(100);
            assertThat(names(members, "streams", "stream")).hasSize(100);
            assertThat(members).doesNotContainKeys("otherQueues", "otherStreams");

            template.enqueue("queue200", "job");
            template.enqueue("queue099", "job");
            template.produce("stream200", "entry");
            members = JSON.parseMap(all(application));
            assertThat(names(members, "queues", "queue"))
                    .hasSize(100)
                    .contains("queue099", "queue198")
                    .doesNotContain("queue199", "queue200");
            assertThat(names(members, "streams", "stream")).hasSize(100).doesNotContain("stream200");
            assertThat(members).containsEntry("otherQueues", 2).containsEntry("otherStreams", 1);
        }
    }

    private static List<Object> names(Map<String, Object> members, String kind, String name) {
        List<Object> names = new ArrayList<>();
        for (Object element : (List<?>) members.getOrDefault(kind, List.of())) {
            names.add(((Map<?, ?>) element).get(name));
        }
        return names;
    }

    private static String all(Operated application) {
        HttpResponse<String> response = application.get("/actuator/headgate");
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private static String api(Operated application) {
        HttpResponse<String> response = application.get("/actuator/headgate/api");
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }
}
