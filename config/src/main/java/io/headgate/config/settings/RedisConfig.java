package io.headgate.config.settings;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import io.headgate.redis.RedisSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Reads settings of engines on Redis from YAML or from properties.
 *
 * <pre>{@code
 * RedisEngineSettings fromFile = RedisConfig.read(Path.of("redis.yaml"));
 * RedisEngineSettings fromProperties = RedisConfig.fromProperties(
 *         Map.of("headgate.redis.url", "redis://localhost:6379", "headgate.redis.timeout", "200ms"), "headgate.redis.");
 * }</pre>
 *
 * <p>The names, ranges and defaults of the settings are in {@code docs/connecting.md}. An error lists the first 20 problems: the name of
 * each setting, what is allowed, and the value unless it may be a secret. It never contains a URL, a user or a password.
 */
public final class RedisConfig {

    private static final String ROOT = "redis";

    private RedisConfig() {}

    /**
     * Reads the mapping {@code redis} of a YAML file in UTF-8.
     *
     * @throws ConfigException if the file cannot be read or has errors
     */
    public static RedisEngineSettings read(Path file) {
        Problems problems = Problems.ofSecrets(file.toString());
        return fromYaml(SourceText.read(file, problems), problems);
    }

    /**
     * Reads the mapping {@code redis} of a YAML text.
     *
     * @param yaml the text, of at most 1 MiB in UTF-8
     * @param sourceName the name of the source; errors begin with it
     * @throws ConfigException if the text has errors
     */
    public static RedisEngineSettings parse(String yaml, String sourceName) {
        Problems problems = Problems.ofSecrets(sourceName);
        return fromYaml(SourceText.bounded(yaml, problems), problems);
    }

    /**
     * Reads properties, for example those of Spring. Case, hyphens, underscores and dots within a name of a setting are ignored: {@code
     * headgate.redis.key-prefix}, {@code headgate.redis.keyPrefix} and {@code headgate.redis.KEY_PREFIX} are the same.
     *
     * @param properties values by name. Names that do not begin with the prefix are ignored
     * @param prefix the common start of all names, for example {@code headgate.redis.}; may be empty
     * @throws ConfigException if a property that begins with the prefix is unknown or wrong, or there is no URL
     */
    public static RedisEngineSettings fromProperties(Map<String, String> properties, String prefix) {
        return fromProperties(properties, prefix, Optional.empty(), UnaryOperator.identity());
    }

    /**
     * Reads properties for a connection that the application has configured, for example with its own client. The properties must not
     * contain a URL or credentials.
     *
     * @param connection the connection; properties such as {@code key-prefix} change its settings
     * @throws ConfigException if a property that begins with the prefix is unknown or wrong
     */
    public static RedisEngineSettings fromProperties(
            Map<String, String> properties, String prefix, RedisSettings connection) {
        return fromProperties(properties, prefix, Optional.of(connection), UnaryOperator.identity());
    }

    /**
     * Reads settings that the user knows by other names, for example as command-line options.
     *
     * @param settings values by the names of the settings, for example {@code key-prefix}
     * @param shownName returns the user's name of a setting, for errors, for example {@code --key-prefix}
     * @throws ConfigException if a setting is unknown or wrong, or there is no URL
     */
    public static RedisEngineSettings fromSettings(Map<String, String> settings, UnaryOperator<String> shownName) {
        return fromProperties(settings, "", Optional.empty(), shownName);
    }

    /** Returns whether a name, in any spelling that {@link #fromProperties(Map, String)} reads, is that of a setting. */
    public static boolean isSetting(String name) {
        return Setting.keys().contains(canonical(name));
    }

    private static RedisEngineSettings fromYaml(String text, Problems problems) {
        SourceText.requireCharactersOfYaml(text, problems);
        Yaml root = YamlReader.read(text, ROOT, problems);
        Fields file = Fields.of(new Yaml.Entry(root.where(), root), List.of(ROOT), problems);
        Fields fields = Fields.of(file.required(ROOT), Setting.keys(), problems);
        return new SettingsReader(fields, problems, UnaryOperator.identity()).read(Optional.empty());
    }

    private static RedisEngineSettings fromProperties(
            Map<String, String> properties,
            String prefix,
            Optional<RedisSettings> connection,
            UnaryOperator<String> shownName) {
        Problems problems = Problems.ofSecrets("");
        Map<String, Yaml.Entry> entries = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                String key = canonical(name.substring(prefix.length()));
                Where where = Where.ofProperty(shownName.apply(name));
                Yaml.Entry first = entries.putIfAbsent(key, new Yaml.Entry(where, new Yaml.Scalar(where, value)));
                if (first != null) {
                    problems.add(where, "is the same setting as " + first.key().path() + "; set it once");
                }
            }
        });
        Where owner = Where.ofProperty(prefix.endsWith(".") ? prefix.substring(0, prefix.length() - 1) : prefix);
        Fields fields = Fields.of(new Yaml.Entry(owner, new Yaml.Mapping(owner, entries)), Setting.keys(), problems);
        return new SettingsReader(fields, problems, shownName).read(connection);
    }

    /** Returns the name of the setting that a property names, in any spelling; the given name if there is none. */
    private static String canonical(String name) {
        return Setting.keys().stream()
                .filter(key -> letters(key).equals(letters(name)))
                .findFirst()
                .orElse(name);
    }

    private static String letters(String name) {
        return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
    }
}
