package io.headgate.spring.internal;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Scalars;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/** The types of values that Spring Boot converts, how errors describe them, and how enum constants, durations and rates are spelled. */
public final class PropertyValues {

    private static final boolean EMPTY_IS_MAPPING = isEmptyMapping();

    private PropertyValues() {}

    /** Whether Spring Boot takes an empty text as an empty mapping, as version 4 does. Version 3.5 fails. */
    public static boolean emptyIsMapping() {
        return EMPTY_IS_MAPPING;
    }

    private static boolean isEmptyMapping() {
        try {
            new Binder(new MapConfigurationPropertySource(Map.of("map", "")))
                    .bind("map", Bindable.mapOf(String.class, String.class));
            return true;
        } catch (BindException e) {
            return false;
        }
    }

    /**
     * Returns what a value must be, for an enum, {@link Duration}, {@link DataSize}, {@code boolean}, {@code int} or {@code long}; empty
     * for other types.
     */
    public static String expected(Class<?> type) {
        if (type.isEnum()) {
            return Choices.of(choices(type));
        }
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        if (boxed == Duration.class) {
            return "a duration such as 500ms, 10s or 5m";
        }
        if (boxed == DataSize.class) {
            return "a size such as 500B or 64KB";
        }
        if (boxed == Boolean.class) {
            return "true or false";
        }
        if (boxed == Integer.class) {
            return "a whole number of at most " + Integer.MAX_VALUE;
        }
        return boxed == Long.class ? "a whole number" : "";
    }

    /** Returns the values of an enum; none if the type is no enum. */
    public static List<String> choices(Class<?> type) {
        return type.isEnum()
                ? Stream.of(type.getEnumConstants())
                        .map(constant -> Choices.word((Enum<?>) constant))
                        .toList()
                : List.of();
    }

    /** Returns a constant as properties and the policy file spell it. */
    public static String word(Enum<?> constant) {
        return Choices.word(constant);
    }

    /** Returns a duration as the policy file spells it, such as {@code 90s}. */
    public static String text(Duration duration) {
        return Scalars.text(duration);
    }

    /** Returns a rate as the policy file spells it, such as {@code 1000 per 1s}. */
    public static String text(long permits, Duration period) {
        return Scalars.text(permits, period);
    }

    /** Whether Spring Boot can convert a value to a type. An empty text converts to null, which a primitive type does not accept. */
    public static boolean isConvertible(@Nullable Object value, Class<?> type) {
        try {
            Object converted = ApplicationConversionService.getSharedInstance()
                    .convert(value, ClassUtils.resolvePrimitiveIfNecessary(type));
            return converted != null || !type.isPrimitive();
        } catch (ConversionException e) {
            return false;
        }
    }
}
