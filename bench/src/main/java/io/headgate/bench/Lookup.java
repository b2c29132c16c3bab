package io.headgate.bench;

import java.util.Map;

/** Finds by name what must be there. */
final class Lookup {

    private Lookup() {}

    static <T> T required(Map<String, T> all, String name) {
        T found = all.get(name);
        if (found == null) {
            throw new IllegalArgumentException("there is no " + name + " among " + all.keySet());
        }
        return found;
    }
}
