package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Tests the observations of decisions in an application on Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ObservationsIT {

    private static final Duration LONG = Duration.ofSeconds(20);

    private static final String PROPERTIES =
            """
            headgate:
              observations: { enabled: true }
              redis: { url: "%s", key-prefix: "%s", fallback: none }
              policies:
                pages: { rules: { per-ip: { by: ip, sliding-window: { permits: 1, window: 1h } } } }
                all: { rules: { all: { sliding-window: { permits: 100, window: 1h } } } }
                calls: { rules: { per-user: { by: user, sliding-window: { permits: 1, window: 1h } } } }
                running: { rules: { per-user: { by: user, in-flight: { permits: 5 } } } }
              web:
                match: all
                routes:
                  - { path: /page, policy: pages, by: { ip: client-address } }
                  - { path: /page, policy: all }
            """;

    private final Operated application = Operated.servlet("", properties(), Observed.class);
    private final Observed observed = application.context.getBean(Observed.class);
    private final Calls calls = application.context.getBean(Calls.class);

    @Configuration(proxyBeanMethods = false)
    @Import(Calls.class)
    static class Observed implements ObservationHandler<Observation.Context> {

        final List<Observation.Context> decisions = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStop(Observation.Context context) {
            if ("headgate.decision".equals(context.getName())) {
                decisions.add(context);
            }
        }
    }

    static class Calls {

        @RateLimited(policy = "calls", by = "user: #user")
        @InFlight(policy = "running", by = "user: #user", maxWait = "1s")
        public String block(String user) {
            return user;
        }

        @RateLimited(policy = "calls", by = "user: #user", maxWait = "1ms")
        public CompletableFuture<String> later(String user) {
            return CompletableFuture.completedFuture(user);
        }
    }

    @BeforeEach
    void forget() {
        observed.decisions.clear();
    }

    @AfterAll
    void close() {
        application.close();
    }

    @Test
    void the_decision_of_a_request_is_part_of_its_observation() {
        assertThat(application.get("/page").statusCode()).isEqualTo(404);
        assertThat(application.get("/page").statusCode()).isEqualTo(429);

        List<Map<String, String>> values = decisions(2);
        assertThat(values.get(0)).containsEntry("outcome", "allowed").containsEntry("rule", "none");
        assertThat(values.get(1))
                .isEqualTo(Map.of("policy", "pages", "outcome", "denied", "rule", "per-ip"));
        // With Spring Security, the parent is the observation of its filters, which is part of that of the request.
        assertThat(observed.decisions).extracting(ObservationsIT::outermost).containsOnly("http.server.requests");
        assertThat(observed.decisions)
                .allSatisfy(decision -> assertThat(decision.getHighCardinalityKeyValues()).isEmpty());
    }

    @Test
    void the_decisions_of_methods_are_observed() {
        assertThat(calls.block("alice")).isEqualTo("alice");
        assertThatThrownBy(() -> calls.block("alice")).isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> calls.later("alice").join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LimitExceededException.class);
        assertThat(calls.later("bob").join()).isEqualTo("bob");

        assertThat(decisions(3))
                .contains(
                        Map.of("policy", "running", "outcome", "allowed", "rule", "none"),
                        Map.of("policy", "calls", "outcome", "allowed", "rule", "none"))
                .noneMatch(values -> values.containsValue("alice") || values.containsValue("bob"));
    }

    @Test
    void the_decision_of_a_reactive_request_is_part_of_its_observation() {
        try (Operated reactive = Operated.reactive("", properties(), Observed.class)) {
            assertThat(reactive.get("/page").statusCode()).isEqualTo(404);

            List<Observation.Context> decisions = reactive.context.getBean(Observed.class).decisions;
            Await.until("the observation", LONG, () -> !decisions.isEmpty());
            assertThat(outermost(decisions.get(0))).isEqualTo("http.server.requests");
        }
    }

    private static String properties() {
        return PROPERTIES.formatted(RedisServer.shared().url(), "p" + UUID.randomUUID());
    }

    private static String outermost(Observation.ContextView context) {
        ObservationView parent = context.getParentObservation();
        return parent == null ? String.valueOf(context.getName()) : outermost(parent.getContextView());
    }

    private List<Map<String, String>> decisions(int atLeast) {
        Await.until("the observations", LONG, () -> observed.decisions.size() >= atLeast);
        return observed.decisions.stream()
                .map(decision -> decision.getLowCardinalityKeyValues().stream()
                        .collect(Collectors.toMap(value -> value.getKey(), value -> value.getValue())))
                .toList();
    }
}
