package io.headgate.spring;

import io.headgate.config.ConfigException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sets the properties of etcd and Consul that are set. An error begins with the name of its property. */
final class StoreProperties {

    private StoreProperties() {}

    /**
     * Returns a setting that must be there.
     *
     * @param value a blank one, as from an empty variable of the environment, counts as not set
     */
    static String required(String from, String property, @Nullable String value) {
        return optional(value)
                .orElseThrow(() -> new HeadgateConfigurationException(
                        "headgate.policies-from is " + from + ", but " + property + " is not set.",
                        "Set " + property + ", or read the policies from a file."));
    }

    /** Returns settings with a property, if it is set. */
    static <S> S with(S settings, String property, @Nullable String value, BiFunction<S, String, S> setting) {
        return optional(value)
                .map(given -> valid(property, () -> setting.apply(settings, given)))
                .orElse(settings);
    }

    /** Sets a value that consists of two properties, if they are set. */
    interface Pair<S> {
        S with(S settings, String first, String second);
    }

    /** Returns settings with two properties, if they are set. */
    static <S> S with(
            S settings,
            String property,
            @Nullable String value,
            String otherProperty,
            @Nullable String otherValue,
            Pair<S> setting) {
        Optional<String> first = optional(value);
        Optional<String> second = optional(otherValue);
        if (first.isPresent() != second.isPresent()) {
            throw new ConfigException(List.of(
                    first.isPresent() ? property + ": needs " + otherProperty : otherProperty + ": needs " + property));
        }
        return first.isEmpty()
                ? settings
                : valid(property, () -> setting.with(settings, first.get(), second.orElseThrow()));
    }

    private static Optional<String> optional(@Nullable String value) {
        return Optional.ofNullable(value).filter(given -> !given.isBlank());
    }

    static <T> T valid(String property, Supplier<T> setting) {
        try {
            return setting.get();
        } catch (IllegalArgumentException e) {
            throw new ConfigException(List.of(property + ": " + e.getMessage()));
        }
    }
}
