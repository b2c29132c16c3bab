package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.config.internal.yaml.Choices;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Fallback;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The JSON Schema of policy files accepts and rejects the files and options that the reader accepts and rejects. */
class PolicySchemaTest {

    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern POLICY_FILE = Pattern.compile("\\A(#.*\n)*(policies|include):", Pattern.MULTILINE);
    private static final Pattern KEYS = Pattern.compile("must be a mapping with ([a-z, -]+), was ");
    private static final String LIMIT = "fixed-window: { permits: 1, window: 1m }";
    private static final List<String> KINDS = List.of(
            "token-bucket", "leaky-bucket", "sliding-window", "sliding-counter", "fixed-window", "calendar-window");

    private final PolicySchema schema = new PolicySchema();

    @Test
    void the_schema_is_a_valid_schema() {
        assertThat(schema.ownProblems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sliding-window: { permits: '${A:-1}', window: '${A:-1m}' }",
                "sliding-counter: { permits: '${A:-1}', window: '${A:-1}m' }",
                "token-bucket: { capacity: '${A:-1}', refill: '${A:-1} per ${B:-1s}' }",
                "leaky-bucket: { capacity: '${A:-1}', leak: '${A:-1 per 1s}', mode: '${A:-meter}' }",
                "fixed-window: { permits: '1${A:-}', window: 1m, align: '${A:-clock}' }",
                "calendar-window: { permits: 1, per: '${A:-day}', zone: '${A:-UTC}' }",
                "count-attempts: '${A:-true}', shadow: '${A:-true}', fixed-window: { permits: 1, window: 1m }",
                "sliding-window: { permits: 1, window: 1m }, by: user,"
                        + " ban: { after: '${A:-2}', within: '${A:-1m}', for: '${A:-1h}', doubling-up-to: '${A:-2h}' }",
                "fixed-window: { permits: 1, window: 1m },"
                        + " overrides: [{ when: { plan: '${A:-gold}' }, fixed-window: { permits: '${A:-2}', window: 1m } }]"
            })
    void both_accept_variables_in_each_value(String rule) {
        schema.assertBothAccept("policies: { a: { rules: { r: { " + rule + " } } } }");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            colocate: '${A:-policy}', pausable: '${A:-true}' | fixed-window: { permits: 1, window: 1m }
            lease: '${A:-auto}', fallback: '${A:-open}', budget: '${A:-10ms}' | fixed-window: { permits: 1, window: 1m }
            lease: '${A:-10s}', at-most: '${A:-1h}' | in-flight: { permits: '${A:-1}' }
            lease: auto | leaky-bucket: { capacity: 100, leak: 1 per 1s, mode: '${A:-meter}' }, count-attempts: '${A:-false}'
            """)
    void both_accept_variables_in_options(String options, String rule) {
        schema.assertBothAccept("policies: { a: { " + options + ", rules: { r: { " + rule + " } } } }");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "include: []",
                "include: a.yaml",
                "include: [https://example.com/a.yaml]",
                "include: [file:a.yaml]",
                "include: ['${A:-a}.yaml']",
                "include: ['']",
                "include: [[a.yaml]]",
                "include: ~",
                "policies: { a: { rules: { r: { by: '${A:-user}', fixed-window: { permits: 1, window: 1m } } } } }"
            })
    void both_reject_other_includes_and_variables_in_names(String yaml) {
        schema.assertBothReject(yaml);
    }

    @Test
    void both_accept_a_file_that_only_includes_others() {
        schema.assertBothAccept("include: [a.yaml, ../b/c.yml, /etc/d.yaml]");
    }

    @Test
    void the_schema_accepts_each_policy_file_of_the_repository_that_the_reader_accepts() throws IOException {
        Map<String, String> files = policyFiles();
        Set<String> rejected = new TreeSet<>();
        files.forEach((name, yaml) -> {
            boolean read = PolicySchema.isRead(yaml);
            assertThat(schema.problems(yaml).isEmpty())
                    .as("whether the schema accepts %s: %s", name, schema.problems(yaml))
                    .isEqualTo(read);
            if (!read) {
                rejected.add(name);
            }
        });
        assertThat(files)
                .containsKeys(
                        "../examples/all-keys.yaml",
                        "../examples/policies.yaml",
                        "../examples/variables.yaml",
                        "../examples/included/partners.yaml",
                        "../docs/policies.md[0]",
                        "../server/src/main/resources/io/headgate/server/demo/demo-policies.yaml",
                        "src/test/resources/io/headgate/config/every-key.yaml");
        assertThat(rejected)
                .containsExactly(
                        "../docs/policies.md[2]",
                        "../docs/policies.md[3]",
                        "../examples/src/test/resources/broken/policies.yaml",
                        "../examples/src/test/resources/broken/tab.yaml");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            lease: 10ms        | sliding-window: { permits: 1, window: 1h }
            lease: 60000ms     | sliding-window: { permits: 1, window: 1h }
            lease: 60s         | sliding-window: { permits: 1, window: 1h }
            lease: 1m          | sliding-window: { permits: 1, window: 1h }
            lease: PT1M        | sliding-window: { permits: 1, window: 1h }
            lease: 10000us     | sliding-window: { permits: 1, window: 1h }
            lease: auto        | leaky-bucket: { capacity: 100, leak: 1 per 1s, mode: meter }, count-attempts: 'false'
            colocate: policy   | fixed-window: { permits: 1, window: 1h }
            pausable: 'false'  | fixed-window: { permits: 1, window: 1h }
            pausable: true     | fixed-window: { permits: 1, window: 1h }
            fallback: none     | fixed-window: { permits: 1, window: 1h }
            fallback: open, budget: 1ms     | in-flight: { permits: 1 }
            fallback: open, budget: 1m      | in-flight: { permits: 1 }
            fallback: open, budget: 1000us  | in-flight: { permits: 1 }
            lease: 1s          | in-flight: { permits: 1 }
            lease: 1000000us   | in-flight: { permits: 1 }
            lease: 3600s       | in-flight: { permits: 1 }
            lease: 60m         | in-flight: { permits: 1 }
            lease: 1h          | in-flight: { permits: 1 }
            at-most: 366d      | in-flight: { permits: 1 }
            lease: 1s, at-most: 1000ms | in-flight: { permits: 1 }
            """)
    void both_accept_valid_options_of_a_policy(String options, String rule) {
        schema.assertBothAccept("policies: { a: { " + options + ", rules: { r: { " + rule + " } } } }");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            policies:
            policies: {}
            policies: []
            {}
            []
            5
            policy: {}
            policies: { a: }
            policies: { a: 5 }
            policies: { a: {} }
            policies: { a: { rules: } }
            policies: { a: { rules: {} } }
            policies: { a: { rules: [] } }
            policies: { a: { rules: { r: } } }
            policies: { a: { rules: { r: 100 } } }
            policies: { a: { rules: { r: { LIMIT } } }, b: { rules: { r: {} } } }
            policies: { a b: { rules: { r: { LIMIT } } } }
            policies: { a: { rules: { -r: { LIMIT } } } }
            { policies: { a: { rules: { r: { LIMIT } } } }, limits: {} }
            policies: { a: { rules: { -r: { in-flight: { permits: 1 } } } } }
            policies: { a: { rules: { r: { in-flight: { permits: 1 } }, s: { by: user } } } }
            policies: { a: { rules: { r: { in-flight: { permits: 1 } }, s: 5 } } }
            policies: { a: { rules: { r: { LIMIT }, s: { in-flight: { permits: 1 } } } } }
            """)
    void both_reject_an_invalid_file(String yaml) {
        schema.assertBothReject(yaml.replace("LIMIT", LIMIT));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            lease: 9ms             | sliding-window: { permits: 1, window: 1h }
            lease: 10001us         | sliding-window: { permits: 1, window: 1h }
            lease: 61s             | sliding-window: { permits: 1, window: 1h }
            lease: 2m              | sliding-window: { permits: 1, window: 1h }
            lease: 1h              | sliding-window: { permits: 1, window: 1h }
            lease: often           | sliding-window: { permits: 1, window: 1h }
            lease: PT              | sliding-window: { permits: 1, window: 1h }
            lease: 10              | sliding-window: { permits: 1, window: 1h }
            lease: auto            | sliding-window: { permits: 1, window: 1h }, count-attempts: true
            lease: auto            | leaky-bucket: { capacity: 100, leak: 1 per 1s, mode: shaper }
            at-most: 1h            | sliding-window: { permits: 1, window: 1h }
            colocate: node         | sliding-window: { permits: 1, window: 1h }
            colocate:              | sliding-window: { permits: 1, window: 1h }
            pausable: yes          | sliding-window: { permits: 1, window: 1h }
            pausable: 1            | sliding-window: { permits: 1, window: 1h }
            fallback: shut         | sliding-window: { permits: 1, window: 1h }
            budget: 50ms           | sliding-window: { permits: 1, window: 1h }
            fallback: open, budget: 0s    | sliding-window: { permits: 1, window: 1h }
            fallback: open, budget: 61s   | sliding-window: { permits: 1, window: 1h }
            fallback: open, budget: 999us | sliding-window: { permits: 1, window: 1h }
            fallback: open, budget: soon  | sliding-window: { permits: 1, window: 1h }
            budget: 50ms           | in-flight: { permits: 1 }
            fallback: shut         | in-flight: { permits: 1 }
            fallback: open, budget: 0s | in-flight: { permits: 1 }
            fallback: open, budget: PT | in-flight: { permits: 1 }
            lease: PT              | in-flight: { permits: 1 }
            at-most: PT            | in-flight: { permits: 1 }
            lease: auto            | in-flight: { permits: 1 }
            lease: 999ms           | in-flight: { permits: 1 }
            lease: 61m             | in-flight: { permits: 1 }
            lease: 3601s           | in-flight: { permits: 1 }
            at-most: 999ms         | in-flight: { permits: 1 }
            at-most: 367d          | in-flight: { permits: 1 }
            at-most: ever          | in-flight: { permits: 1 }
            pausable: true         | in-flight: { permits: 1 }
            colocate: spread       | in-flight: { permits: 1 }
            limits: {}             | in-flight: { permits: 1 }
            """)
    void both_reject_invalid_options_of_a_policy(String options, String rule) {
        schema.assertBothReject("policies: { a: { " + options + ", rules: { r: { " + rule + " } } } }");
    }

    @Test
    void both_reject_more_than_16_rules() {
        for (String limit : List.of(LIMIT, "in-flight: { permits: 1 }")) {
            schema.assertBothAccept(rules(16, limit));
            schema.assertBothReject(rules(17, limit));
        }
    }

    @Test
    void the_schema_has_the_keys_of_the_reader() {
        assertThat(keys("/properties"))
                .isEqualTo(keysIn(catchThrowableOfType(
                        ConfigException.class, () -> PolicyFile.parseWithIncludes("5", "p", Map.of()))));
        assertThat(keys("/$defs/rate-policy/properties", "/$defs/in-flight-policy/properties"))
                .isEqualTo(keysOfReader("policies: { a: 5 }"));
        assertThat(keys("/$defs/rate-rule/properties", "/$defs/in-flight-rule/properties"))
                .isEqualTo(keysOfReader("policies: { a: { rules: { r: 5 } } }"));
        assertThat(keys("/$defs/override/properties"))
                .isEqualTo(keysOfReader("policies: { a: { rules: { r: { " + LIMIT + ", overrides: [5] } } } }"));
        List<String> kinds = new ArrayList<>(KINDS);
        kinds.add("in-flight");
        for (String kind : kinds) {
            assertThat(keys("/$defs/" + kind + "/properties"))
                    .isEqualTo(keysOfReader("policies: { a: { rules: { r: { " + kind + ": 5 } } } }"));
        }
    }

    @Test
    void the_schema_has_the_words_of_the_reader() {
        assertThat(words("/$defs/rate-policy/properties/colocate")).isEqualTo(wordsOf(Colocation.values()));
        assertThat(words("/$defs/fallback")).isEqualTo(wordsOf(Fallback.Mode.values()));
        assertThat(words("/$defs/leaky-bucket/properties/mode")).isEqualTo(wordsOf(LeakyBucket.Mode.values()));
        assertThat(words("/$defs/fixed-window/properties/align")).isEqualTo(wordsOf(FixedWindow.Alignment.values()));
        assertThat(words("/$defs/calendar-window/properties/per")).isEqualTo(wordsOf(CalendarWindow.Unit.values()));
    }

    private static String rules(int count, String limit) {
        return IntStream.range(0, count)
                .mapToObj(i -> "r" + i + ": { " + limit + " }")
                .collect(Collectors.joining(", ", "policies: { a: { rules: { ", " } } }"));
    }

    /** Returns the policy files of the repository, and those in its guides, by name. */
    private static Map<String, String> policyFiles() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String folder : List.of("../examples", "../docs", "../server/src/main/resources", "src/test/resources")) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                for (Path file : files.filter(PolicySchemaTest::isSource).toList()) {
                    add(found, file);
                }
            }
        }
        add(found, Path.of("../README.md"));
        found.values().removeIf(yaml -> !POLICY_FILE.matcher(yaml).find());
        return found;
    }

    private static boolean isSource(Path file) {
        String name = file.toString();
        return (name.endsWith(".yaml") || name.endsWith(".md")) && !name.contains("/target/");
    }

    private static void add(Map<String, String> found, Path file) throws IOException {
        String text = Files.readString(file);
        if (file.toString().endsWith(".yaml")) {
            found.put(file.toString(), text);
            return;
        }
        Matcher block = BLOCK.matcher(text);
        for (int i = 0; block.find(); i++) {
            found.put(file + "[" + i + "]", block.group(1));
        }
    }

    /** Returns the keys that the reader lists in its error for a value that is not a mapping. */
    private static Set<String> keysOfReader(String yaml) {
        return keysIn(catchThrowableOfType(ConfigException.class, () -> PolicyFile.parse(yaml, "p")));
    }

    private static Set<String> keysIn(ConfigException thrown) {
        String refusal = String.valueOf(thrown.getMessage());
        Matcher keys = KEYS.matcher(refusal);
        assertThat(keys.find()).as(refusal).isTrue();
        return new TreeSet<>(List.of(keys.group(1).split(", ")));
    }

    private Set<String> keys(String... paths) {
        Set<String> keys = new TreeSet<>();
        for (String path : paths) {
            schema.json().at(path).fieldNames().forEachRemaining(keys::add);
        }
        return keys;
    }

    private List<String> words(String path) {
        List<String> words = new ArrayList<>();
        for (JsonNode word : schema.json().at(path + "/anyOf/0/enum")) {
            words.add(word.asText());
        }
        return words;
    }

    private static List<String> wordsOf(Enum<?>[] constants) {
        return Arrays.stream(constants).map(Choices::word).toList();
    }
}
