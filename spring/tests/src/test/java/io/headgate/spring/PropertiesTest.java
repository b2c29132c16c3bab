package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.springframework.core.env.PropertySource;
import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Tests how policies and settings are read from the properties of an application. */
class PropertiesTest {

    private static final String API =
            """
            headgate:
              policies:
                api:
                  rules:
                    per-user: { by: [user, endpoint], sliding-window: { permits: 100, window: 1m } }
            """;

    private final StandardEnvironment environment = new StandardEnvironment();

    @Test
    void policies_of_properties_have_the_grammar_of_the_policy_file() throws IOException {
        String guide = Files.readString(Path.of("../../docs/policies.md"));
        String yaml = guide.substring(guide.indexOf("```yaml") + 8, guide.indexOf("```\n", guide.indexOf("```yaml") + 8));
        addYaml("application.yaml", "headgate:\n" + yaml.indent(2));

        assertThat(policies()).isEqualTo(PolicyFile.parse(yaml, "policies.md"));
    }

    @Test
    void an_error_has_the_property_and_its_place() {
        addYaml("application.yaml", API.replace("100", "many").replace("window: 1m", "windw: 1m"));

        assertThatThrownBy(this::policies)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "headgate.policies.api.rules.per-user.sliding-window.permits"
                                + " (Byte array resource [application.yaml] - 5:70): must be a whole number such as 100 or 10_000, was many")
                .hasMessageContaining("headgate.policies.api.rules.per-user.sliding-window.windw"
                        + " (Byte array resource [application.yaml] - 5:83): unknown key; did you mean window?");
    }

    @Test
    void an_environment_variable_replaces_a_value_of_a_file() {
        addYaml("application.yaml", API);
        addVariables(Map.of("HEADGATE_POLICIES_API_RULES_PERUSER_SLIDINGWINDOW_PERMITS", "7"));

        assertThat(policies()).isEqualTo(parsed(API.replace("100", "7")));
    }

    @Test
    void a_list_comes_whole_from_the_source_with_the_highest_precedence() {
        addYaml("profile.yaml", "headgate.policies.api.rules.per-user.by: [ip]");
        addYaml("application.yaml", API);

        assertThat(policies()).isEqualTo(parsed(API.replace("user, endpoint", "ip")));
    }

    @Test
    void a_single_value_replaces_a_list_and_a_list_a_single_value() {
        addYaml("profile.yaml", "headgate.policies.api.rules.per-user.by: ip");
        addYaml("application.yaml", API);
        assertThat(policies()).isEqualTo(parsed(API.replace("[user, endpoint]", "ip")));

        addYamlFirst("command-line.yaml", "headgate.policies.api.rules.per-user.by: [user, ip]");
        assertThat(policies()).isEqualTo(parsed(API.replace("[user, endpoint]", "[user, ip]")));
    }

    @Test
    void names_that_differ_in_hyphens_or_case_are_different_names_in_one_source() {
        String yaml = API + API.substring(API.indexOf("    api")).replace("api", "API");
        addYaml("application.yaml", yaml);

        assertThat(policies().names()).containsExactly("api", "API");
        assertThat(policies()).isEqualTo(parsed(yaml));
    }

    @Test
    void a_name_with_dots_is_written_in_brackets() {
        addYaml("application.yaml", API.replace("    api:", "    \"[api.v1]\":"));

        assertThat(policies()).isEqualTo(parsed(API.replace("api:", "api.v1:")));
    }

    @Test
    void placeholders_are_resolved() {
        addYaml("application.yaml", API.replace("100", "\"${permits:5}\""));

        assertThat(policies()).isEqualTo(parsed(API.replace("100", "5")));
    }

    @Test
    void the_environment_variable_of_another_property_is_no_policy() {
        addYaml("application.yaml", API);
        addVariables(Map.of("HEADGATE_POLICIES_FROM", "classpath:limits.yaml", "HEADGATE_POLICIES", "x"));

        assertThat(policies()).isEqualTo(parsed(API));
    }

    @Test
    void an_empty_value_is_an_error() {
        addYaml("application.yaml", API.replace("100", ""));

        assertThatThrownBy(this::policies).hasMessageContaining("must be a whole number such as 100 or 10_000, was empty");
    }

    @Test
    void an_unknown_property_below_headgate_is_an_error_but_not_one_of_other_programs() {
        addVariables(Map.of("HEADGATE_HOME", "/opt/headgate"));
        addYaml("application.yaml", "headgate: { engine: auto, policies-from: x, web.routes: [], redis.url: redis://x }");
        check();

        addYaml("more.yaml", "headgate: { polices: { api: 5 } }");
        assertThatThrownBy(this::check)
                .isInstanceOf(ConfigException.class)
                .hasMessage("headgate.polices (Byte array resource [more.yaml] - 1:29): unknown property; did you mean policies?"
                        + " Allowed: consul, enabled, engine, etcd, observations, outgoing, policies, policies-from, queues, redis, web");
    }

    @Test
    void settings_of_redis_in_any_spelling_are_those_of_the_first_source() {
        addVariables(Map.of("HEADGATE_REDIS_KEY_PREFIX", "shop"));
        addYaml("application.yaml", "headgate.redis: { keyPrefix: other, timeout: 200ms }");

        assertThat(reader().redis().values())
                .isEqualTo(Map.of("headgate.redis.key.prefix", "shop", "headgate.redis.timeout", "200ms"));
        assertThat(reader().redis().has("key-prefix")).isTrue();
        assertThat(reader().redis()).asString().doesNotContain("shop");
    }

    @Test
    void variables_that_kubernetes_sets_for_services_are_no_settings_or_policies() {
        addVariables(Map.of(
                "HEADGATE_REDIS_PORT", "tcp://10.1.2.3:6379",
                "HEADGATE_REDIS_SERVICE_HOST", "10.1.2.3",
                "HEADGATE_REDIS_PORT_6379_TCP", "tcp://10.1.2.3:6379",
                "HEADGATE_REDIS_TIMEOUT", "200ms",
                "HEADGATE_POLICIES_SERVICE_HOST", "10.1.2.4",
                "HEADGATE_POLICIES_PORT_80_TCP", "tcp://10.1.2.4:80"));
        addYaml("application.yaml", API);

        check();
        assertThat(reader().redis().values()).isEqualTo(Map.of("headgate.redis.timeout", "200ms"));
        assertThat(policies()).isEqualTo(parsed(API));
    }

    private void check() {
        reader().checkPolicies();
        reader().checkRedis();
        reader().checkRecords(true, Map.of());
    }

    private HeadgateEnvironment reader() {
        return new HeadgateEnvironment(environment);
    }

    private Policies policies() {
        return PoliciesOfApplication.ofProperties(reader());
    }

    private static Policies parsed(String yaml) {
        return PolicyFile.parse(yaml.replace("headgate:\n", "").indent(-2), "p.yaml");
    }

    private void addVariables(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                        new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, Map.of()));
    }

    private void addYaml(String name, String yaml) {
        load(name, yaml).forEach(source -> environment.getPropertySources().addLast(source));
    }

    private void addYamlFirst(String name, String yaml) {
        load(name, yaml).forEach(source -> environment.getPropertySources().addFirst(source));
    }

    private static Iterable<PropertySource<?>> load(String name, String yaml) {
        try {
            return new YamlPropertySourceLoader()
                    .load(name, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
