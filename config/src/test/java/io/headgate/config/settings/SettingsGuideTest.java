package io.headgate.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.config.ConfigException;
import io.headgate.redis.RedisSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the table of settings in the guide agrees with the code. */
class SettingsGuideTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([a-z-]+)` \\| ([^|]*) ?\\| ([^|]*) \\| ([^|]*) \\|$");
    private static final Pattern RANGE = Pattern.compile("`([0-9]+)([a-z]*)` to `([0-9]+)([a-z]*)`");
    private static final Pattern WORD = Pattern.compile("`([a-z]+)`");

    @Test
    void every_setting_is_listed_in_order_and_no_other() throws IOException {
        assertThat(rows().stream().map(row -> row.group(1))).containsExactlyElementsOf(Setting.keys());
    }

    @Test
    void the_defaults_are_those_of_the_settings() throws IOException {
        RedisEngineSettings defaults = RedisEngineSettings.of(RedisSettings.of("redis://h"));
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("key-prefix", defaults.connection().keyPrefix());
        values.put("timeout", defaults.connection().timeout());
        values.put("max-in-flight-calls", defaults.connection().maxInFlightCalls());
        values.put("fallback", defaults.fallback().mode().name().toLowerCase(Locale.ROOT));
        values.put("expected-instances", defaults.expectedInstances());
        values.put("batching", defaults.batching());
        values.put("max-cached-denials", defaults.maxCachedDenials());
        values.put("invalidations", defaults.invalidations());
        values.put("request-id-horizon", defaults.requestIdHorizon());
        values.put("hot-keys", defaults.hotKeys());
        values.put("hot-keys-interval", defaults.hotKeysInterval());

        for (MatchResult row : rows()) {
            Object value = values.remove(row.group(1));
            if (value != null) {
                assertThat(row.group(2).strip()).as(row.group(1)).isEqualTo("`" + text(value) + "`");
            }
        }
        assertThat(values).isEmpty();
    }

    @Test
    void exactly_the_ranges_and_words_of_the_guide_are_allowed() throws IOException {
        int ranges = 0;
        int words = 0;
        for (MatchResult row : rows()) {
            String setting = row.group(1);
            Matcher range = RANGE.matcher(row.group(3));
            if (range.matches()) {
                ranges++;
                read(setting, range.group(1) + range.group(2));
                read(setting, range.group(3) + range.group(4));
                rejects(setting, Long.parseLong(range.group(1)) - 1 + range.group(2));
                rejects(setting, Long.parseLong(range.group(3)) + 1 + range.group(4));
            } else if (row.group(3).startsWith("`")) {
                for (MatchResult word : WORD.matcher(row.group(3)).results().toList()) {
                    words++;
                    read(setting, word.group(1));
                    rejects(setting, word.group(1) + "x");
                }
            }
        }
        assertThat(ranges).isEqualTo(6);
        // true and false of four settings, and four fallbacks
        assertThat(words).isEqualTo(2 * 4 + 4);
    }

    @Test
    void the_errors_are_those_of_a_file_with_two_mistakes() throws IOException {
        String errors = section().split("```text\n")[1].split("\n```")[0];

        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() ->
                        RedisConfig.parse("redis:\n  timeot: 1s\n  url: redis://h\n  fallback: deny\n", "redis.yaml"))
                .satisfies(error -> assertThat(
                                String.valueOf(error.getMessage()).replaceFirst("username, .*", "username, …"))
                        .isEqualTo(errors));
    }

    private static void read(String setting, String value) {
        assertThat(RedisConfig.fromProperties(Map.of("url", "redis://h", setting, value), ""))
                .as(setting + " " + value)
                .isNotNull();
    }

    private static void rejects(String setting, String value) {
        assertThatExceptionOfType(ConfigException.class)
                .as(setting + " " + value)
                .isThrownBy(() -> RedisConfig.fromProperties(Map.of("url", "redis://h", setting, value), ""));
    }

    private static String text(Object value) {
        if (!(value instanceof Duration duration)) {
            return value.toString();
        }
        if (duration.toMillis() % 60_000 == 0) {
            return duration.toMinutes() + "m";
        }
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    private static List<MatchResult> rows() throws IOException {
        return ROW.matcher(section()).results().toList();
    }

    private static String section() throws IOException {
        String guide = Files.readString(Path.of("../docs/connecting.md"));
        int start = guide.indexOf("## Settings from YAML or properties");
        return guide.substring(start, guide.indexOf("\n## ", start));
    }
}
