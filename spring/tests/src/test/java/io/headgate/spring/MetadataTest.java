package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.ConfigException;
import io.headgate.config.settings.RedisConfig;
import io.headgate.config.PolicyFile;
import io.headgate.spring.outgoing.OutgoingProperties;
import io.headgate.spring.web.WebProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Tests the metadata of properties, which editors use for completion. */
class MetadataTest {

    /** Those of which elements or values have settings that metadata cannot describe one by one. */
    private static final Set<String> COLLECTIONS = Set.of(
            "headgate.policies", "headgate.outgoing.routes", "headgate.web.routes", "headgate.web.trusted-proxies");

    private static final Set<String> METERS = Set.of("headgate.decision");

    private static final Pattern PROPERTY =
            Pattern.compile("(?<![\\w./-])(management\\.endpoint\\.)?headgate(\\.[a-z0-9-]+)+(?![\\w/(.])");

    @Test
    void each_setting_of_redis_has_a_type_and_a_description_and_there_are_no_others() throws IOException {
        ConfigException unknown = catchThrowableOfType(
                ConfigException.class, () -> RedisConfig.fromProperties(Map.of("unknown", "x"), ""));
        String allowed = unknown.problems().get(0).replaceAll("(?s).*Allowed: ", "");

        assertThat(properties().keySet().stream()
                        .filter(name -> name.startsWith(HeadgateEnvironment.REDIS_PREFIX))
                        .map(name -> name.substring(HeadgateEnvironment.REDIS_PREFIX.length())))
                .containsExactlyInAnyOrder(allowed.split(", "));
    }

    @Test
    void the_settings_of_the_engine_and_the_policies_are_described() throws IOException {
        assertThat(properties()).containsKeys("headgate.engine", "headgate.policies", "headgate.policies-from");
        assertThat(properties().get("headgate.engine"))
                .containsEntry("defaultValue", "auto")
                .containsEntry("description", "Where limits are counted.");
    }

    @Test
    void each_description_is_a_sentence() throws IOException {
        assertThat(properties()).allSatisfy((name, property) -> assertThat(String.valueOf(property.get("description")))
                .matches("[A-Z].*\\.")
                .doesNotContain("{@", "  "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.md", "spring-migration.md", "spring-operations.md"})
    void each_property_of_the_guides_is_described(String guide) throws IOException {
        Set<String> known = properties().keySet();
        Set<String> named = PROPERTY.matcher(guide(guide))
                .results()
                .map(found -> found.group())
                .filter(name -> !METERS.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).allMatch(name -> isKnown(known, name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"actuator", "etcd", "first", "migrated", "operations", "outgoing", "outgoing-in-flight", "policies-from", "tested"})
    void each_property_of_the_examples_is_described(String example) throws IOException {
        Set<String> known = properties().keySet();
        EnumerablePropertySource<?> source = (EnumerablePropertySource<?>) new YamlPropertySourceLoader()
                .load(example, new ClassPathResource("guide/" + example + ".yaml"))
                .get(0);

        assertThat(source.getPropertyNames())
                .filteredOn(name -> name.startsWith("headgate."))
                .allMatch(name -> isKnown(known, name));
    }

    /** Whether a property is described, has described properties below it, or is an element of a described list or map. */
    private static boolean isKnown(Set<String> known, String name) {
        return known.stream()
                .anyMatch(one -> one.equals(name)
                        || one.startsWith(name + ".")
                        || (COLLECTIONS.contains(one) && name.matches(Pattern.quote(one) + "[.\\[].*")));
    }

    @Test
    void the_tables_of_routes_have_each_setting() throws IOException {
        String guide = guide("spring.md");
        assertThat(settings(section(guide, "## Routes"))).isEqualTo(keys(WebProperties.Route.class));
        assertThat(settings(section(guide, "## Outgoing calls"))).isEqualTo(keys(OutgoingProperties.Route.class));
    }

    private static String section(String guide, String heading) {
        return guide.substring(guide.indexOf(heading)).split("\n##", 3)[0].substring(heading.length());
    }

    private static Set<String> settings(String section) {
        Set<String> settings = new TreeSet<>();
        section.lines().filter(line -> line.startsWith("| `")).forEach(line -> Pattern.compile("`([a-z-]+)`")
                .matcher(line.split("\\|", 3)[1])
                .results()
                .forEach(found -> settings.add(found.group(1))));
        return settings;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            { unknown: 1 }                                          | PolicyProperties
            { rules: { r: { unknown: 1 } } }                        | PolicyProperties$RuleKeys
            { rules: { r: { overrides: [{ unknown: 1 }] } } }       | PolicyProperties$OverrideKeys
            { rules: { r: { token-bucket: { unknown: 1 } } } }      | PolicyProperties$TokenBucketKeys
            { rules: { r: { leaky-bucket: { unknown: 1 } } } }      | PolicyProperties$LeakyBucketKeys
            { rules: { r: { sliding-window: { unknown: 1 } } } }    | PolicyProperties$WindowKeys
            { rules: { r: { sliding-counter: { unknown: 1 } } } }   | PolicyProperties$WindowKeys
            { rules: { r: { fixed-window: { unknown: 1 } } } }      | PolicyProperties$FixedWindowKeys
            { rules: { r: { calendar-window: { unknown: 1 } } } }   | PolicyProperties$CalendarWindowKeys
            { rules: { r: { in-flight: { unknown: 1 } } } }         | PolicyProperties$InFlightKeys
            """)
    void the_types_of_policies_have_each_key_of_the_grammar(String policy, String type) throws ClassNotFoundException {
        ConfigException unknown = catchThrowableOfType(
                ConfigException.class, () -> PolicyFile.parse("policies: { api: " + policy + " }", "test"));
        String allowed = unknown.problems().stream()
                .filter(problem -> problem.contains("unknown"))
                .findFirst()
                .orElseThrow()
                .replaceAll("(?s).*Allowed: ", "");

        assertThat(keys(Class.forName("io.headgate.spring." + type))).containsExactlyInAnyOrder(allowed.split(", "));
    }

    /** The keys of the components of a record. */
    private static Set<String> keys(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String guide(String name) throws IOException {
        return Files.readString(Path.of("../../docs").resolve(name));
    }

    /** The properties of Headgate by name. Each has a type and a description. */
    private static Map<String, Map<String, Object>> properties() throws IOException {
        Map<String, Map<String, Object>> properties = new TreeMap<>();
        for (Resource resource :
                new PathMatchingResourcePatternResolver().getResources("classpath*:META-INF/spring-configuration-metadata.json")) {
            Map<String, Object> json =
                    JsonParserFactory.getJsonParser().parseMap(resource.getContentAsString(StandardCharsets.UTF_8));
            for (Object one : (List<?>) json.getOrDefault("properties", List.of())) {
                Map<String, Object> property = new TreeMap<>();
                ((Map<?, ?>) one).forEach((key, value) -> property.put((String) key, value));
                String name = String.valueOf(property.get("name"));
                if (name.startsWith("headgate.") || name.startsWith("management.endpoint.headgate.")) {
                    assertThat(property).containsKeys("type", "description");
                    properties.put(name, property);
                }
            }
        }
        return properties;
    }
}
