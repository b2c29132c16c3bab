package io.headgate.spring.internal;

import io.headgate.config.internal.yaml.NearMiss;

/** The spellings of names, as the policy file has them. */
public final class Spelling {

    private Spelling() {}

    /** Returns a name without hyphens and underscores, in lower case: it is the same in all spellings that Spring Boot accepts. */
    public static String letters(String name) {
        return NearMiss.letters(name);
    }
}
