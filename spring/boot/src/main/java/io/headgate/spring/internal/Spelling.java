package io.headgate.spring.internal;

import io.headgate.config.internal.yaml.NearMiss;
import java.util.List;
import java.util.Optional;

/** The spellings of names, and which allowed name was probably meant by another, as in the policy file. */
public final class Spelling {

    private Spelling() {}

    /** Returns a name without hyphens and underscores, in lower case: it is the same in all spellings that Spring Boot accepts. */
    public static String letters(String name) {
        return NearMiss.letters(name);
    }

    /** Returns the allowed name that was probably meant. */
    public static Optional<String> nearest(String given, List<String> allowed) {
        return NearMiss.of(given, allowed);
    }

    /** Returns the end of an error with an unknown name: what was probably meant, and what is allowed. */
    public static String hint(String given, List<String> allowed) {
        return NearMiss.hint(nearest(given, allowed), allowed);
    }
}
