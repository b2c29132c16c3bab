package io.headgate.bench.run;

import java.util.Map;

/** Finds by name what must be there. */
public final class Lookup {

    private Lookup() {}

    public static <T> T required(Map<String, T> all, String name) {
        T found = all.get(name);
        if (found == null) {
            throw new IllegalArgumentException("there is no " + name + " among " + all.keySet());
        }
        return found;
    }
}
