package io.headgate.micrometer;

import java.util.Locale;

/** Values of tags. */
final class Names {

    private Names() {}

    /** Returns the name of a constant in lower case. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
