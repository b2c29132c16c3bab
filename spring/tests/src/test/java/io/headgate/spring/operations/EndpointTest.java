package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.spring.HeadgateAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests the endpoint over HTTP, in a servlet application with write access and a reactive one with Actuator's default access. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointTest {

    private static final String POLICIES =
            """
            headgate.policies:
              api:
                fallback: closed
                rules:
                  per-user: { by: user, sliding-window: { permits: 2, window: 90s } }
                  per-user-and-ip: { by: [user, ip], token-bucket: { capacity: 50, refill: 10 per 1s }, shadow: true }
              total: { rules: { all: { calendar-window: { permits: 5, per: day, zone: Europe/Berlin } } } }
              exports: { lease: 10s, rules: { per-user: { by: user, in-flight: { permits: 1 } } } }
            """;

    private final Operated writable =
            Operated.servlet("management.endpoint.headgate.access=unrestricted", POLICIES);
    private final Operated readable = Operated.reactive("", POLICIES);

    /** The responses before any decision. */
    private final String servlet = writable.get("/actuator/headgate").body();

    private final String reactive = readable.get("/actuator/headgate").body();

    @AfterAll
    void close() {
        writable.close();
        readable.close();
    }

    @Test
    void the_endpoint_shows_the_engine_and_each_policy_in_the_words_of_its_file() {
        assertThat(servlet)
                .isEqualTo(reactive)
                .isEqualTo(
                        """
                        {"engine":"memory","state":"healthy","limits":"normal","policies":[\
                        {"policy":"api","allowed":0,"denied":0,"byFallback":0,"failed":0,"fallback":"closed","rules":[\
                        {"rule":"per-user","by":["user"],"limit":{"sliding-window":{"permits":2,"window":"90s"}},\
                        "countAttempts":false,"shadow":false,"overrides":0,"denied":0},\
                        {"rule":"per-user-and-ip","by":["user","ip"],\
                        "limit":{"token-bucket":{"capacity":50,"refill":"10 per 1s"}},\
                        "countAttempts":false,"shadow":true,"overrides":0,"deniedInShadow":0}]},\
                        {"policy":"exports","allowed":0,"denied":0,"byFallback":0,"failed":0,"lease":"10s","rules":[\
                        {"rule":"per-user","by":["user"],"limit":{"in-flight":{"permits":1}},"denied":0}]},\
                        {"policy":"total","allowed":0,"denied":0,"byFallback":0,"failed":0,"rules":[\
                        {"rule":"all","by":[],"limit":{"calendar-window":\
                        {"permits":5,"per":"day","zone":"Europe/Berlin"}},\
                        "countAttempts":false,"shadow":false,"overrides":0,"denied":0}]}]}""");
    }

    @Test
    void a_policy_has_the_decisions_and_denials_since_the_start() {
        PolicyRegistry registry = readable.context.getBean(PolicyRegistry.class);
        Attributes alice = Attributes.of("user", "alice").with("ip", "192.0.2.1");
        for (int i = 0; i < 3; i++) {
            registry.limiter("api").tryAcquire(PermitRequest.of(alice));
        }
        registry.limiter("api").tryAcquire(PermitRequest.of(alice.with("user", "bob")).withPermits(51));
        registry.inFlight("exports").tryAcquire("alice");
        registry.inFlight("exports").tryAcquire("alice");

        assertThat(readable.get("/actuator/headgate/api").body())
                .startsWith("{\"policy\":\"api\",\"allowed\":2,\"denied\":2,\"byFallback\":0,\"failed\":0,")
                .contains("\"overrides\":0,\"denied\":2}", "\"overrides\":0,\"deniedInShadow\":1}")
                .doesNotContain("alice");
        assertThat(readable.get("/actuator/headgate/exports").body())
                .contains("\"allowed\":1,\"denied\":1,", "\"limit\":{\"in-flight\":{\"permits\":1}},\"denied\":1}");
    }

    @Test
    void a_policy_that_the_application_created_is_shown_and_can_be_reset() {
        LimitEngine engine = writable.context.getBean(LimitEngine.class);
        Limiter own = engine.limiter("own", Limit.slidingWindow(1, Duration.ofHours(1)));
        own.tryAcquire("alice");

        assertThat(writable.get("/actuator/headgate/own").body()).contains("\"allowed\":1,", "\"by\":[\"key\"]");
        assertThat(writable.post("/actuator/headgate/own/reset", "{\"key\":\"key=alice\"}").body())
                .isEqualTo("{\"policy\":\"own\",\"reset\":true}");
        assertThat(own.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void a_key_is_inspected_without_a_charge_and_reset() {
        Limiter api = writable.context.getBean(PolicyRegistry.class).limiter("api");
        PermitRequest request = PermitRequest.of(Attributes.of("user", "a=b&c").with("ip", "192.0.2.1"));
        api.tryAcquire(request);
        api.tryAcquire(request);
        String key = "{\"key\":\"user=a%3Db%26c&ip=192.0.2.1\"}";

        for (int i = 0; i < 2; i++) {
            HttpResponse<String> inspected = writable.post("/actuator/headgate/api/inspect", key);
            assertThat(inspected.statusCode()).isEqualTo(200);
            assertThat(inspected.body())
                    .startsWith("{\"policy\":\"api\",\"allowed\":false,\"basis\":\"counted\",\"deniedBy\":\"per-user\","
                            + "\"retryAfterSeconds\":")
                    .contains("{\"rule\":\"per-user\",\"allowed\":false,\"limit\":2,\"remaining\":0,")
                    .contains("{\"rule\":\"per-user-and-ip\",\"allowed\":true,\"limit\":50,\"remaining\":");
        }
        assertThat(writable.post("/actuator/headgate/api/reset", "{\"key\":\"user=a%3Db%26c\",\"rule\":\"per-user\"}")
                        .body())
                .isEqualTo("{\"policy\":\"api\",\"reset\":true}");
        assertThat(api.peek(request).allowed()).isTrue();
        assertThat(writable.post("/actuator/headgate/api/reset", key).body()).contains("\"reset\":true");
        assertThat(writable.post("/actuator/headgate/api/reset", key).body()).contains("\"reset\":false");
    }

    @Test
    void in_flight_permits_and_policies_without_dimensions_are_inspected_and_reset() {
        PolicyRegistry registry = writable.context.getBean(PolicyRegistry.class);
        registry.inFlight("exports").tryAcquire("alice");
        assertThat(writable.post("/actuator/headgate/exports/inspect", "{\"key\":\"user=alice\"}").body())
                .startsWith("{\"policy\":\"exports\",\"allowed\":false,\"basis\":\"counted\",\"rules\":["
                        + "{\"rule\":\"per-user\",\"allowed\":false,\"limit\":1,\"held\":1,\"nextExpirySeconds\":");
        assertThat(writable.post("/actuator/headgate/exports/reset", "{\"key\":\"user=alice\"}").body())
                .contains("\"reset\":true");

        registry.limiter("total").tryAcquire(PermitRequest.global());
        assertThat(writable.post("/actuator/headgate/total/inspect", "{}").body()).contains("\"remaining\":4,");
        assertThat(writable.post("/actuator/headgate/total/reset", "{}").body()).contains("\"reset\":true");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            none/reset  | {}                      | 404 | there is no policy none; there are [api, exports,
            api/remove  | {}                      | 400 | operation must be inspect or reset, but was remove
            api/reset   | {}                      | 400 | key lacks user, ip; it must have a value of user, ip
            api/inspect | {"key":"user=alice"}    | 400 | key lacks ip; it must have a value of user, ip
            api/inspect | {"key":"user=a&ip="}    | 400 | key lacks ip; it must have a value of user, ip
            api/inspect | {"key":"user=a&user=b"} | 400 | key has user twice
            api/inspect | {"key":"plan=a"}        | 400 | key has plan, but it must have a value of user, ip
            api/inspect | {"key":"alice"}         | 400 | key must be name=value pairs that are joined by &, such as user=alice, but one pair is alice
            api/inspect | {"key":"user=%zz"}      | 400 | Illegal hex characters
            api/reset   | {"rule":"none"}         | 400 | policy api has no rule none; it has [per-user, per-user-and-ip]
            total/reset | {"key":"user=alice"}    | 400 | key has user, but it must have no names
            """)
    void a_wrong_request_is_a_problem_that_says_what_is_allowed(String path, String body, int status, String detail) {
        HttpResponse<String> response = writable.post("/actuator/headgate/" + path, body);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.body()).contains("\"status\":" + status, detail);
    }

    @Test
    void an_unknown_policy_is_not_found() {
        HttpResponse<String> response = readable.get("/actuator/headgate/none");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).contains("there is no policy none; there are [api, exports, total]");
    }

    @Test
    void wrong_properties_of_the_endpoint_fail_the_start() {
        String endpoint = "management.endpoint.headgate.";
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, EndpointAutoConfiguration.class))
                .withPropertyValues(
                        "headgate.engine=memory",
                        "management.endpoints.web.exposure.include=headgate",
                        endpoint + "access=READ_ONLY",
                        endpoint + "cache.time-to-live=1s",
                        endpoint + "role=admin",
                        endpoint + "show-values=sometimes")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContainingAll(
                                endpoint + "role (", "): unknown property; did you mean roles? Allowed: access, cache,",
                                endpoint + "show-values (", "): must be never, when-authorized or always, was sometimes"));
    }

    @Test
    void without_policies_an_error_says_where_to_declare_one() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, EndpointAutoConfiguration.class))
                .withPropertyValues("headgate.engine=memory", "management.endpoints.web.exposure.include=headgate")
                .run(context -> assertThat(context.getBean(HeadgateEndpoint.class)
                                .change("none", "reset", null, null)
                                .getBody())
                        .containsEntry("detail", "there is no policy none; declare policies below headgate.policies"));
    }

    @Test
    void a_policy_that_was_removed_is_no_longer_shown() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, EndpointAutoConfiguration.class))
                .withBean(Policy.class, () -> Policy.of("api", Limit.slidingWindow(1, Duration.ofHours(1))))
                .withPropertyValues("headgate.engine=memory", "management.endpoints.web.exposure.include=headgate")
                .run(context -> {
                    HeadgateEndpoint endpoint = context.getBean(HeadgateEndpoint.class);
                    assertThat(endpoint.all().get("policies")).asInstanceOf(LIST).hasSize(1);
                    context.getBean(PolicyRegistry.class).replace(Policies.of(List.of()));

                    assertThat(endpoint.all().get("policies")).asInstanceOf(LIST).isEmpty();
                    assertThat(endpoint.change("api", "reset", null, null).getStatus()).isEqualTo(404);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset", "inspect"})
    void without_write_access_nothing_can_be_inspected_or_changed(String operation) {
        assertThat(readable.post("/actuator/headgate/total/" + operation, "{}").statusCode())
                .isIn(404, 405);
    }

    @Test
    void the_meters_of_limits_are_in_the_registry_of_the_application() {
        writable.context.getBean(PolicyRegistry.class).inFlight("exports").tryAcquire("carol").close();
        MeterRegistry meters = writable.context.getBean(MeterRegistry.class);

        assertThat(meters.get("headgate.requests").tags("policy", "exports", "outcome", "allowed").counter().count())
                .isPositive();
        assertThat(meters.get("headgate.engine.degraded").gauge().value()).isZero();
    }

    @Test
    void a_ban_of_a_hold_is_no_denial_by_a_rule() {
        DecisionCounts counts = new DecisionCounts();
        try (InMemoryLimitEngine engine =
                InMemoryLimitEngine.builder().listener(counts).build()) {
            InFlightLimiter exports = engine.inFlight("exports", 1);
            engine.bans().add(BanRequest.ban(BanTarget.of("key", "mallory")));
            assertThat(exports.tryAcquire("mallory").ban()).isPresent();
            exports.tryAcquire("alice");
            exports.tryAcquire("alice");
            String rule = exports.policy().rules().get(0).name();

            assertThat(counts.members("exports")).containsEntry("denied", 2L);
            assertThat(counts.denied("exports", rule)).isEqualTo(1);
        }
    }

    @Test
    void more_than_500_policies_are_counted_together() {
        DecisionCounts counts = new DecisionCounts();
        try (InMemoryLimitEngine engine =
                InMemoryLimitEngine.builder().listener(counts).build()) {
            for (int i = 0; i < 510; i++) {
                engine.limiter("policy" + i, Limit.slidingWindow(1, Duration.ofHours(1))).tryAcquire("alice");
            }
        }
        assertThat(counts.members("policy499")).containsEntry("allowed", 1L);
        assertThat(counts.members("policy500")).containsEntry("allowed", 0L);
        assertThat(counts.others().orElseThrow()).containsEntry("allowed", 10L);
    }
}
