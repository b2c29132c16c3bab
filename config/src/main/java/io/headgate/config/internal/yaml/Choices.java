package io.headgate.config.internal.yaml;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Reads values with a fixed set of words: the constants of an enum in lower case, with hyphens. */
public final class Choices {

    private Choices() {}

    /** Returns the constant of a word. For another value, records a problem, and returns the first constant. */
    public static <E extends Enum<E>> E read(Yaml value, E[] constants, Problems problems) {
        for (E constant : constants) {
            if (value instanceof Yaml.Scalar scalar && scalar.text().equals(word(constant))) {
                return constant;
            }
        }
        problems.wrong(value, of(Arrays.stream(constants).map(Choices::word).toList()));
        return constants[0];
    }

    /** Joins words, as in {@code a, b or c}. */
    public static String of(List<String> words) {
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** Returns the word of a constant, for example {@code first-request}. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
