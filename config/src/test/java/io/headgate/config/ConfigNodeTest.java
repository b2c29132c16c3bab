package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

        assertThat(PolicyFile.read(mapping("policies", "api", mapping("api", "rules", all))))
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
    void errors_begin_with_the_position_of_their_node() {
        Mapping limit = mapping(
                "limits.window (x.properties:3)",
                "permits",
                new Text("limits.window.permits (x.properties:4)", "many"),
                "windw",
                new Text("limits.window.windw (x.properties:5)", "1m"));
        assertErrors(limit, """
                limits.window.windw (x.properties:5): unknown key; did you mean window? Allowed: permits, window
                limits.window.permits (x.properties:4): must be a whole number such as 100 or 10_000, was many""");
    }

    @Test
    void an_empty_text_is_an_empty_value_and_lists_and_mappings_are_named() {
        assertErrors(mapping("limit", "permits", new Text("p", ""), "window", new Items("w", List.of())), """
                p: must be a whole number such as 100 or 10_000, was empty
                w: must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was a list""");
    }

    @Test
    void a_mapping_without_policies_is_an_error() {
        assertThatThrownBy(() -> PolicyFile.read(mapping("headgate.policies")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("headgate.policies: has no policies; it needs at least one");
    }

    @Test
    void a_position_is_printable_and_short() {
        Mapping limit = mapping("limit", "permits", new Text("a\nb" + "c".repeat(400), "x"), "window", WINDOW);
        assertErrors(limit, "a\\u000ab" + "c".repeat(317) + ": must be a whole number such as 100 or 10_000, was x");
    }

    private static void assertErrors(Mapping slidingWindow, String errors) {
        Mapping rule = mapping("rule", "sliding-window", slidingWindow);
        Mapping policy = mapping("policy", "rules", mapping("rules", "r", rule));
        assertThatThrownBy(() -> PolicyFile.read(mapping("policies", "a", policy)))
                .isInstanceOf(ConfigException.class)
                .hasMessage(errors);
    }

    /** Returns a mapping of keys and nodes, which alternate. */
    private static Mapping mapping(String position, Object... keysAndNodes) {
        Map<String, ConfigNode> entries = new LinkedHashMap<>();
        for (int i = 0; i < keysAndNodes.length; i += 2) {
            entries.put((String) keysAndNodes[i], (ConfigNode) keysAndNodes[i + 1]);
        }
        return new Mapping(position, entries);
    }
}
