package io.headgate.config.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.ConfigException;
import io.headgate.limits.Fallback;
import io.headgate.redis.RedisSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every setting in YAML and in properties, with a valid and an invalid value. */
class RedisConfigTest {

    private static final String PEM = "pom.xml"; // only readability is checked when the settings are read

    /** A setting, a valid value, how to read it back, the expected result, an invalid value, and a part of its error ("" for any). */
    private record Row(
            Setting setting,
            String valid,
            Function<RedisEngineSettings, Object> read,
            Object expected,
            String invalid,
            String error) {

        @Override
        public String toString() {
            return setting.key();
        }
    }

    private static Stream<Row> rows() {
        return Stream.of(
                row(
                        Setting.URL,
                        "rediss://other:7000",
                        s -> s.connection().uris().get(0).getHost(),
                        "other",
                        "http://h",
                        ""),
                row(Setting.USERNAME, "alice", RedisConfigTest::user, "alice", "[a]", "must be a string, was a list"),
                row(
                        Setting.PASSWORD,
                        "a:b@c/d e%+?#",
                        RedisConfigTest::password,
                        "a:b@c/d e%+?#",
                        "{a: b}",
                        "must be a string, was a mapping"),
                row(Setting.KEY_PREFIX, "shop", s -> s.connection().keyPrefix(), "shop", "a:b", ""),
                row(
                        Setting.TIMEOUT,
                        "2s",
                        s -> s.connection().timeout(),
                        Duration.ofSeconds(2),
                        "2h",
                        "must be from 1 ms to 1 minute, was 2h"),
                row(
                        Setting.MAX_IN_FLIGHT_CALLS,
                        "1_000",
                        s -> s.connection().maxInFlightCalls(),
                        1000,
                        "0",
                        "must be from 1 to 1000000, was 0"),
                row(
                        Setting.TRUSTED_CERTIFICATES,
                        PEM,
                        s -> s.connection().trustedCertificates(),
                        Optional.of(Path.of(PEM)),
                        "none.pem",
                        "must be a readable file in PEM format, was none.pem"),
                row(
                        Setting.CLIENT_CERTIFICATE,
                        PEM,
                        s -> s.connection().clientCertificate(),
                        Optional.of(Path.of(PEM)),
                        "none.pem",
                        "must be a readable file in PEM format, was none.pem"),
                row(
                        Setting.CLIENT_KEY,
                        PEM,
                        s -> s.connection().clientKey(),
                        Optional.of(Path.of(PEM)),
                        "none.pem",
                        "must be the path of a readable PEM file"),
                row(
                        Setting.CONNECTION_REQUIRED,
                        "true",
                        s -> s.connection().requiredConnection(),
                        Optional.of(true),
                        "yes",
                        "must be true or false, was yes"),
                row(
                        Setting.FALLBACK,
                        "closed",
                        s -> s.fallback().mode(),
                        Fallback.Mode.CLOSED,
                        "deny",
                        "must be local, open, closed or none, was deny"),
                row(
                        Setting.BUDGET,
                        "20ms",
                        s -> s.fallback().budget(),
                        Optional.of(Duration.ofMillis(20)),
                        "1m",
                        "must be at most the timeout of 500ms, was 1m"),
                row(
                        Setting.EXPECTED_INSTANCES,
                        "12",
                        RedisEngineSettings::expectedInstances,
                        12,
                        "10001",
                        "must be from 1 to 10000, was 10001"),
                row(
                        Setting.BATCHING,
                        "false",
                        RedisEngineSettings::batching,
                        false,
                        "off",
                        "must be true or false, was off"),
                row(
                        Setting.MAX_CACHED_DENIALS,
                        "0",
                        RedisEngineSettings::maxCachedDenials,
                        0,
                        "99999999999999999999",
                        "must be from 0 to 1000000, was 99999999999999999999"),
                row(
                        Setting.INVALIDATIONS,
                        "false",
                        RedisEngineSettings::invalidations,
                        false,
                        "''",
                        "must be true or false, was \"\""),
                row(
                        Setting.REQUEST_ID_HORIZON,
                        "1h",
                        RedisEngineSettings::requestIdHorizon,
                        Duration.ofHours(1),
                        "25h",
                        "must be from 1 second to 1 day, in whole milliseconds, was 25h"),
                row(Setting.HOT_KEYS, "true", RedisEngineSettings::hotKeys, true, "1", "must be true or false, was 1"),
                row(
                        Setting.HOT_KEYS_INTERVAL,
                        "1s",
                        RedisEngineSettings::hotKeysInterval,
                        Duration.ofSeconds(1),
                        "soon",
                        "must be a duration such as 50ms, 2s or 1m, was soon"));
    }

    private static Row row(
            Setting setting,
            String valid,
            Function<RedisEngineSettings, Object> read,
            Object expected,
            String invalid,
            String error) {
        return new Row(setting, valid, read, expected, invalid, error);
    }

    /** Returns a setting with this value, together with the settings that it requires. */
    private static Map<Setting, String> with(Setting setting, String value) {
        Map<Setting, String> all = new LinkedHashMap<>();
        all.put(Setting.URL, "rediss://localhost:6379");
        switch (setting) {
            case USERNAME -> all.put(Setting.PASSWORD, "x");
            case CLIENT_KEY -> all.put(Setting.CLIENT_CERTIFICATE, PEM);
            case CLIENT_CERTIFICATE -> all.put(Setting.CLIENT_KEY, PEM);
            default -> {}
        }
        all.put(setting, value);
        return all;
    }

    @Test
    void a_name_is_that_of_a_setting_in_any_spelling() {
        assertThat(List.of("key-prefix", "keyPrefix", "KEY.PREFIX", "key_prefix"))
                .allMatch(RedisConfig::isSetting);
        assertThat(List.of("port", "service.host", "")).noneMatch(RedisConfig::isSetting);
    }

    @Test
    void the_table_has_every_setting() {
        assertThat(rows().map(Row::setting)).containsExactly(Setting.values());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void a_setting_is_read_from_yaml(Row row) {
        StringBuilder yaml = new StringBuilder("redis:\n");
        with(row.setting, quoted(row.valid)).forEach((setting, value) -> yaml.append("  ")
                .append(setting.key())
                .append(": ")
                .append(value)
                .append('\n'));

        assertThat(row.read.apply(RedisConfig.parse(yaml.toString(), "redis.yaml")))
                .isEqualTo(row.expected);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void a_setting_is_read_from_properties(Row row) {
        assertThat(row.read.apply(
                        RedisConfig.fromProperties(properties(with(row.setting, row.valid)), "headgate.redis.")))
                .isEqualTo(row.expected);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void an_invalid_value_in_yaml_is_an_error_with_its_position(Row row) {
        StringBuilder yaml = new StringBuilder("redis:\n");
        int line = 1;
        int invalidLine = 0;
        for (Map.Entry<Setting, String> one : with(row.setting, row.invalid).entrySet()) {
            line++;
            invalidLine = one.getKey() == row.setting ? line : invalidLine;
            yaml.append("  ")
                    .append(one.getKey().key())
                    .append(": ")
                    .append(one.getValue())
                    .append('\n');
        }

        List<String> problems = problems(() -> RedisConfig.parse(yaml.toString(), "redis.yaml"));

        assertThat(problems).hasSize(1);
        assertThat(problems.get(0))
                .startsWith("redis.yaml:" + invalidLine + ":")
                .contains(": redis." + row.setting.key() + ": ")
                .contains(row.error);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void an_invalid_property_is_an_error_with_its_name(Row row) {
        if (row.setting == Setting.USERNAME || row.setting == Setting.PASSWORD) {
            return; // every text is valid
        }
        String invalid = row.invalid.equals("''") ? "" : row.invalid;

        List<String> problems =
                problems(() -> RedisConfig.fromProperties(properties(with(row.setting, invalid)), "headgate.redis."));

        assertThat(problems).hasSize(1);
        assertThat(problems.get(0))
                .startsWith("headgate.redis." + row.setting.key() + ": ")
                .contains(row.error);
    }

    @Test
    void without_further_settings_the_defaults_apply() {
        RedisEngineSettings read = RedisConfig.fromProperties(Map.of("url", "redis://h"), "");
        RedisEngineSettings defaults = RedisEngineSettings.of(RedisSettings.of("redis://h"));

        assertThat(read).usingRecursiveComparison().ignoringFields("connection").isEqualTo(defaults);
        assertThat(read.connection()).hasToString(defaults.connection().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"key-prefix", "keyPrefix", "keyprefix", "KEY_PREFIX", "key.prefix", "key_prefix"})
    void spellings_of_a_property_are_the_same(String name) {
        Map<String, String> properties = Map.of("headgate.redis.url", "redis://h", "headgate.redis." + name, "shop");

        assertThat(RedisConfig.fromProperties(properties, "headgate.redis.")
                        .connection()
                        .keyPrefix())
                .isEqualTo("shop");
    }

    @Test
    void two_spellings_of_a_property_are_an_error() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("url", "redis://h");
        properties.put("key-prefix", "a");
        properties.put("keyPrefix", "b");

        assertThat(problems(() -> RedisConfig.fromProperties(properties, "")))
                .containsExactly("keyPrefix: is the same setting as key-prefix; set it once");
    }

    @Test
    void other_properties_are_ignored_and_unknown_ones_of_the_prefix_are_errors_that_name_the_nearest() {
        Map<String, String> properties = Map.of(
                "headgate.redis.url",
                "redis://h",
                "headgate.redis.timeot",
                "1s",
                "headgate.policies",
                "p",
                "spring.x",
                "y");

        assertThat(problems(() -> RedisConfig.fromProperties(properties, "headgate.redis.")))
                .containsExactly("headgate.redis.timeot: unknown key; did you mean timeout? Allowed: "
                        + String.join(", ", Setting.keys()));
    }

    @ParameterizedTest
    @CsvSource({"user, username", "prefix, key-prefix", "instances, expected-instances", "coalescing, batching"})
    void the_error_for_a_synonym_of_a_setting_suggests_the_setting(String given, String meant) {
        assertThat(problems(() -> RedisConfig.fromProperties(Map.of("url", "redis://h", given, "x"), "")))
                .singleElement()
                .asString()
                .startsWith(given + ": unknown key; did you mean " + meant + "?");
    }

    @Test
    void a_missing_url_is_an_error() {
        assertThat(problems(() -> RedisConfig.fromProperties(Map.of(), "headgate.redis.")))
                .containsExactly("headgate.redis: url is missing");
        assertThat(problems(() -> RedisConfig.parse("redis:\n  timeout: 1s\n", "redis.yaml")))
                .containsExactly("redis.yaml:1:1: redis: url is missing");
    }

    @Test
    void all_problems_are_listed_in_the_order_of_the_file() {
        assertThat(problems(() -> RedisConfig.parse("""
                        redis:
                          url: redis://localhost
                          timout: 1s
                          max-in-flight-calls: many
                          client-key: pom.xml
                          username: alice
                        """, "redis.yaml")))
                .satisfiesExactly(
                        one -> assertThat(one)
                                .startsWith("redis.yaml:3:3: redis.timout: unknown key; did you mean timeout?"),
                        one -> assertThat(one)
                                .isEqualTo(
                                        "redis.yaml:4:24: redis.max-in-flight-calls: must be a whole number such as 100"
                                                + " or 10_000, was many"),
                        one -> assertThat(one).isEqualTo("redis.yaml:5:3: redis.client-key: needs client-certificate"),
                        one -> assertThat(one).isEqualTo("redis.yaml:6:3: redis.username: needs password"));
    }

    @Test
    void certificates_need_a_url_for_tls() {
        assertThat(problems(() -> RedisConfig.parse("""
                        redis:
                          url: redis://localhost
                          trusted-certificates: pom.xml
                        """, "redis.yaml")))
                .containsExactly(
                        "redis.yaml:3:25: redis.trusted-certificates: certificates are for TLS: the url must begin"
                                + " with rediss://, rediss-sentinel:// or rediss-cluster://");
    }

    @Test
    void a_file_is_read(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("redis.yaml");
        Files.writeString(file, "redis: {url: 'redis://h'}");

        assertThat(RedisConfig.read(file).connection().uris().get(0).getHost()).isEqualTo("h");
        assertThat(problems(() -> RedisConfig.read(folder.resolve("none.yaml"))))
                .containsExactly(folder.resolve("none.yaml") + ": no such file");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://s1:26379,s2:26379#main",
                "redis-cluster://n1:7000,n2:7000",
                "rediss://h:6380/3?timeout=2s"
            })
    void username_and_password_settings_apply_to_every_kind_of_url(String url) {
        RedisEngineSettings settings =
                RedisConfig.fromProperties(Map.of("url", url, "username", "bob", "password", "p@ss word"), "");

        assertThat(user(settings)).isEqualTo("bob");
        assertThat(password(settings)).isEqualTo("p@ss word");
    }

    @Test
    void a_password_without_a_user_belongs_to_the_default_user() {
        RedisEngineSettings settings = RedisConfig.fromProperties(Map.of("url", "redis://h", "password", "secret"), "");

        assertThat(user(settings)).isEqualTo("default");
    }

    @Test
    void credentials_are_given_once() {
        assertThat(problems(() ->
                        RedisConfig.fromProperties(Map.of("url", "redis://:hunter2@h", "password", "hunter2"), "")))
                .containsExactly(
                        "url: contains credentials, and password is set too; remove them from the url, or remove password");
    }

    @Test
    void a_connection_of_the_application_accepts_other_settings_but_no_url() {
        RedisClient client = RedisClient.create("redis://h");
        try {
            RedisSettings own = RedisSettings.of(client);

            RedisEngineSettings settings =
                    RedisConfig.fromProperties(Map.of("key-prefix", "shop", "fallback", "open"), "", own);

            assertThat(settings.connection().client()).contains(client);
            assertThat(settings.connection().keyPrefix()).isEqualTo("shop");
            assertThat(settings.fallback()).isEqualTo(Fallback.open());
            assertThat(problems(() -> RedisConfig.fromProperties(Map.of("url", "redis://h"), "", own)))
                    .containsExactly("url: cannot be set, because the application provides the connection");
        } finally {
            client.shutdown();
        }
    }

    @Test
    void errors_can_name_options_of_a_command_line() {
        assertThat(problems(() -> RedisConfig.fromSettings(
                        Map.of("url", "redis://h", "timeout", "40ms", "budget", "50ms"), setting -> "--" + setting)))
                .containsExactly("--budget: must be at most the --timeout of 40ms, was 50ms");
    }

    /** Each text has the password hunter2 in a place where a user may put it by mistake. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:\n  url: http://user:hunter2@h\n",
                "redis:\n  url: redis://user:hunter2@h:port\n",
                "redis:\n  url:redis://:hunter2@h\n",
                "redis:\n  password:hunter2\n  url: redis://h\n",
                "redis:\n  url: redis://h\n  password:hunter2\n",
                "redis: redis://:hunter2@h\n",
                "redis://:hunter2@h\n",
                "redis: {url: redis://h, 'redis://:hunter2@h': x}\n",
                "redis: {url: redis://h, password:hunter2}\n",
                "redis:\n  url: redis://h\n  password: *hunter2\n",
                "redis:\n  url: redis://h\n  password: &hunter2\n",
                "redis:\n  url: redis://h\n  password: !hunter2\n",
                "redis:\n  url: redis://h\n  password: !!hunter2 x\n",
                "redis:\n  url: redis://h\n  password: !hunter2!x y\n",
                "redis:\n  url: redis://h\n  password: %hunter2\n",
                "redis:\n  url: redis://h\n  password: @hunter2\n",
                "redis:\n  url: redis://h\n  password: 'hunter2\n",
                "redis:\n  url: redis://h\n  password: \"hunter2\\q\"\n",
                "redis:\n  url: redis://h\n  password: {hunter2: x}\n",
                "redis:\n  url: redis://h\n  password: [hunter2]\n",
                "redis:\n  url: redis://h\n  password: a\n  password: hunter2\n",
                "redis:\n  url: redis://:hunter2@h\n  password: hunter2\n",
            })
    void no_error_contains_a_password(String yaml) {
        ConfigException error =
                catchThrowableOfType(ConfigException.class, () -> RedisConfig.parse(yaml, "redis.yaml"));

        assertThat(error.problems()).isNotEmpty();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            assertThat(cause.toString()).doesNotContain("hunter2");
        }
    }

    @Test
    void no_text_of_the_settings_contains_a_password() {
        RedisEngineSettings settings =
                RedisConfig.fromProperties(Map.of("url", "redis://h", "username", "bob", "password", "hunter2"), "");

        assertThat(settings.toString()).doesNotContain("hunter2").contains("keyPrefix=hg");
    }

    private static Map<String, String> properties(Map<Setting, String> settings) {
        Map<String, String> properties = new LinkedHashMap<>();
        settings.forEach((setting, value) -> properties.put("headgate.redis." + setting.key(), value));
        return properties;
    }

    private static String quoted(String value) {
        return Arrays.asList("true", "false").contains(value) ? value : "'" + value + "'";
    }

    private static Object user(RedisEngineSettings settings) {
        return credentials(settings).getUsername();
    }

    private static Object password(RedisEngineSettings settings) {
        return new String(credentials(settings).getPassword());
    }

    private static RedisCredentials credentials(RedisEngineSettings settings) {
        return settings.connection()
                .uris()
                .get(0)
                .getCredentialsProvider()
                .resolveCredentials()
                .block();
    }

    private static List<String> problems(ThrowingCallable reading) {
        return catchThrowableOfType(ConfigException.class, reading).problems();
    }
}
