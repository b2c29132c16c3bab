package io.headgate.config.settings;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.Fallback;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Reads {@link RedisEngineSettings} from a mapping. The API checks the ranges, not this class: each value is tried on the connection or
 * on the builder of an engine, whose message becomes the problem.
 */
final class SettingsReader {

    private final Fields fields;
    private final Problems problems;
    private final UnaryOperator<String> shownName;

    /** @param shownName returns the name of a setting for errors */
    SettingsReader(Fields fields, Problems problems, UnaryOperator<String> shownName) {
        this.fields = fields;
        this.problems = problems;
        this.shownName = shownName;
    }

    /**
     * Reads all settings.
     *
     * @param given the connection of the application; empty if the settings have a URL
     * @throws io.headgate.config.ConfigException if a setting is wrong
     */
    RedisEngineSettings read(Optional<RedisSettings> given) {
        ConnectionReader connections = new ConnectionReader(fields, problems, this::text, shownName);
        RedisSettings connection = connections.target(given);
        connection = tried(Setting.KEY_PREFIX, this::text, connection, RedisSettings::withKeyPrefix);
        connection = tried(Setting.TIMEOUT, this::duration, connection, RedisSettings::withTimeout);
        connection = tried(Setting.MAX_IN_FLIGHT_CALLS, this::number, connection, RedisSettings::withMaxInFlightCalls);
        connection = tried(Setting.CONNECTION_REQUIRED, this::flag, connection, RedisSettings::withRequiredConnection);
        connection =
                tried(Setting.TRUSTED_CERTIFICATES, this::file, connection, RedisSettings::withTrustedCertificates);
        connection = connections.clientCertificate(connection, this::file);

        RedisEngineSettings defaults = RedisEngineSettings.of(connection);
        RedisLimitEngine.Builder builder = defaults.limits();
        RedisEngineSettings settings = new RedisEngineSettings(
                connection,
                fallback(connection),
                value(Setting.EXPECTED_INSTANCES, this::number, builder::expectedInstances)
                        .orElse(defaults.expectedInstances()),
                value(Setting.BATCHING, this::flag, builder::batching).orElse(defaults.batching()),
                value(Setting.MAX_CACHED_DENIALS, this::number, builder::maxCachedDenials)
                        .orElse(defaults.maxCachedDenials()),
                value(Setting.INVALIDATIONS, this::flag, builder::invalidations).orElse(defaults.invalidations()),
                value(Setting.REQUEST_ID_HORIZON, this::duration, builder::requestIdHorizon)
                        .orElse(defaults.requestIdHorizon()),
                value(Setting.HOT_KEYS, this::flag, hot -> {}).orElse(defaults.hotKeys()),
                value(Setting.HOT_KEYS_INTERVAL, this::duration, builder::hotKeysInterval)
                        .orElse(defaults.hotKeysInterval()));
        problems.throwIfAny();
        return settings;
    }

    private Fallback fallback(RedisSettings connection) {
        Fallback fallback = fields.optional(Setting.FALLBACK.key())
                .map(entry -> Choices.read(entry.value(), Fallback.Mode.values(), problems))
                .map(mode -> new Fallback(mode, Optional.empty()))
                .orElse(Fallback.local());
        Optional<Duration> budget = value(
                Setting.BUDGET,
                this::duration,
                longest -> requireAtMost(fallback.within(longest), connection.timeout()));
        return budget.map(fallback::within).orElse(fallback);
    }

    private void requireAtMost(Fallback fallback, Duration timeout) {
        if (fallback.budget().orElseThrow().compareTo(timeout) > 0) {
            // Problems.accepted appends the value as it was written.
            throw new IllegalArgumentException("budget must be at most the " + shownName.apply(Setting.TIMEOUT.key())
                    + " of " + timeout.toMillis() + "ms, was ");
        }
    }

    /** Returns the connection with the value of a setting; the same connection if the value is missing or rejected. */
    private <T> RedisSettings tried(
            Setting setting,
            Function<Yaml, Optional<T>> read,
            RedisSettings connection,
            BiFunction<RedisSettings, T, RedisSettings> with) {
        // Applied twice: first as a check, whose result is dropped.
        return value(setting, read, value -> Objects.requireNonNull(with.apply(connection, value)))
                .map(value -> with.apply(connection, value))
                .orElse(connection);
    }

    /** Returns the value of a setting; empty if it is missing or rejected. */
    private <T> Optional<T> value(Setting setting, Function<Yaml, Optional<T>> read, Consumer<T> accept) {
        return fields.optional(setting.key()).map(Yaml.Entry::value).flatMap(given -> read.apply(given)
                .filter(value -> problems.accepted(given, "", () -> accept.accept(value))));
    }

    private Optional<String> text(Yaml value) {
        if (value instanceof Yaml.Scalar scalar) {
            return Optional.of(scalar.text());
        }
        problems.wrong(value, "a string");
        return Optional.empty();
    }

    private Optional<Path> file(Yaml value) {
        return text(value).flatMap(text -> {
            try {
                return Optional.of(Path.of(text));
            } catch (InvalidPathException e) {
                problems.wrong(value, "the path of a file");
                return Optional.empty();
            }
        });
    }

    private Optional<Duration> duration(Yaml value) {
        Optional<Duration> duration =
                value instanceof Yaml.Scalar scalar ? Scalars.duration(scalar.text()) : Optional.empty();
        if (duration.isEmpty()) {
            problems.wrong(value, "a duration such as 50ms, 2s or 1m");
        }
        return duration;
    }

    private Optional<Integer> number(Yaml value) {
        Optional<Long> number = value instanceof Yaml.Scalar scalar ? Scalars.number(scalar.text()) : Optional.empty();
        if (number.isEmpty()) {
            problems.wrong(value, "a whole number such as 100 or 10_000");
        }
        // A number that exceeds an int exceeds every range, and the error shows the value as it was written.
        return number.map(n -> (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, n)));
    }

    private enum Flag {
        TRUE,
        FALSE
    }

    private Optional<Boolean> flag(Yaml value) {
        return Optional.of(Choices.read(value, Flag.values(), problems) == Flag.TRUE);
    }
}
