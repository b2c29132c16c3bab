package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.ConfigNode.Items;
import io.headgate.config.ConfigNode.Mapping;
import io.headgate.config.ConfigNode.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests policies that another library has parsed. */
class ConfigNodeTest {

    private static final Text PERMITS = new Text("permits (a:1)", "100");
    private static final Text WINDOW = new Text("window (a:2)", "1m");
    private static final Mapping LIMIT = mapping("sliding-window", "permits", PERMITS, "window", WINDOW);

    @Test
    void policies_are_those_of_an_equal_file() {
        Mapping when = mapping("when", "plan", new Text("plan", "gold"));
        ConfigNode override = mapping("overrides[0]", "when", when, "sliding-window", LIMIT);
        Mapping perUser = mapping(
                "per-user",
                "by",
                new Items("by", List.of(new Text("by[0]", "user"), new Text("by[1]", "endpoint"))),
                "sliding-window",
                LIMIT,
                "overrides",
                new Items("overrides", List.of(override)));
        Mapping all = mapping("rules", "global", mapping("global", "sliding-window", LIMIT), "per-user", perUser);

        assertThat(PolicyFile.read(mapping("", "api", mapping("", "rules", all)), "policies"))
                .isEqualTo(PolicyFile.parse("""
                        policies:
                          api:
                            rules:
                              global: { sliding-window: { permits: 100, window: 1m } }
                              per-user:
                                by: [user, endpoint]
                                sliding-window: { permits: 100, window: 1m }
                                overrides:
                                  - { when: { plan: gold }, sliding-window: { permits: 100, window: 1m } }
                        """, "p.yaml"));
    }

    @Test
    void an_error_has_the_path_of_its_keys_and_the_origin_of_its_node() {
        assertErrors(
                mapping("x.properties:3", "permits", new Text("x.properties:4", "many"), "windw", new Text("", "1m")),
                """
                limits.a.rules.r.sliding-window.windw: unknown key; did you mean window? Allowed: permits, window
                limits.a.rules.r.sliding-window.permits (x.properties:4): must be a whole number such as 100 or 10_000, was many""");
    }

    @Test
    void an_empty_text_is_an_empty_value_and_lists_are_named() {
        assertErrors(mapping("", "permits", new Text("x:1", ""), "window", new Items("x:2", List.of())), """
                limits.a.rules.r.sliding-window.permits (x:1): must be a whole number such as 100 or 10_000, was empty
                limits.a.rules.r.sliding-window.window (x:2): must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was a list""");
    }

    @Test
    void an_error_about_two_nodes_names_the_other_one_by_its_path() {
        Mapping inFlight = mapping("", "in-flight", mapping("", "permits", new Text("", "1")));
        Mapping rules = mapping("", "all", mapping("", "sliding-window", LIMIT), "exports", inFlight);
        assertThatThrownBy(() -> PolicyFile.read(mapping("", "a", mapping("", "rules", rules)), "limits"))
                .hasMessage(
                        "limits.a.rules.exports.in-flight: is an in-flight limit, but that at"
                                + " limits.a.rules.all.sliding-window is not; all limits of a policy must be in-flight limits, or none");
    }

    @Test
    void each_wrong_name_is_one_error() {
        Mapping rule = mapping("", "sliding-window", LIMIT);
        Mapping rules = mapping("", "a b", rule, "c d", rule);
        ConfigException thrown = catchThrowableOfType(
                ConfigException.class, () -> PolicyFile.read(mapping("", "a", mapping("", "rules", rules)), "limits"));
        assertThat(thrown.problems()).hasSize(2);
        assertThat(thrown.problems().get(0)).startsWith("limits.a.rules.\"a b\": ");
    }

    @Test
    void a_mapping_without_policies_is_an_error() {
        assertThatThrownBy(() -> PolicyFile.read(mapping(""), "headgate.policies"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("headgate.policies: has no policies; it needs at least one");
    }

    @Test
    void an_origin_is_printable_and_short() {
        assertErrors(
                mapping("", "permits", new Text("a\nb" + "c".repeat(400), "x"), "window", WINDOW),
                "limits.a.rules.r.sliding-window.permits (a\\u000ab" + "c".repeat(317)
                        + "): must be a whole number such as 100 or 10_000, was x");
    }

    private static void assertErrors(Mapping slidingWindow, String errors) {
        Mapping rule = mapping("", "sliding-window", slidingWindow);
        Mapping policy = mapping("", "rules", mapping("", "r", rule));
        assertThatThrownBy(() -> PolicyFile.read(mapping("", "a", policy), "limits"))
                .isInstanceOf(ConfigException.class)
                .hasMessage(errors);
    }

    /** Returns a mapping of keys and nodes, which alternate. */
    private static Mapping mapping(String origin, Object... keysAndNodes) {
        Map<String, ConfigNode> entries = new LinkedHashMap<>();
        for (int i = 0; i < keysAndNodes.length; i += 2) {
            entries.put((String) keysAndNodes[i], (ConfigNode) keysAndNodes[i + 1]);
        }
        return new Mapping(origin, entries);
    }
}
