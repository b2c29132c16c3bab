package io.headgate.config.internal.yaml;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Reads mappings whose keys are names that the author chooses. */
public final class Names {

    private Names() {}

    /** Reads each entry of a mapping of names to {@code what} with the function {@code read}, and returns the results. */
    public static <T> List<T> read(
            Yaml.Entry owner, String what, BiFunction<String, Yaml.Entry, T> read, Problems problems) {
        List<T> made = new ArrayList<>();
        if (!(owner.value() instanceof Yaml.Mapping mapping)) {
            problems.wrong(owner.value(), "a mapping of names to " + what);
            return made;
        }
        if (mapping.entries().isEmpty()) {
            problems.add(owner.key(), "has no " + what + "; it needs at least one");
        }
        for (Map.Entry<String, Yaml.Entry> entry : mapping.entries().entrySet()) {
            made.add(read.apply(entry.getKey(), entry.getValue()));
        }
        return made;
    }
}
