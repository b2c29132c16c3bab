package io.headgate.bench.run;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Finds scenarios and subjects by name. */
public final class Choice {

    private Choice() {}

    /**
     * The scenarios with these names, in their usual order, or all if there are no names.
     *
     * @throws IllegalArgumentException when a name is unknown
     */
    public static <S> List<S> of(S[] all, Function<S, String> label, List<String> labels) {
        List<String> known = Stream.of(all).map(label).toList();
        for (String wanted : labels) {
            if (!known.contains(wanted)) {
                throw new IllegalArgumentException(
                        "a scenario must be one of " + String.join(", ", known) + ", was " + wanted);
            }
        }
        return Stream.of(all)
                .filter(scenario -> labels.isEmpty() || labels.contains(label.apply(scenario)))
                .toList();
    }

    /** Finds values by a name that must exist. */
    public static final class Lookup {

        private Lookup() {}

        public static <T> T required(Map<String, T> all, String name) {
            T found = all.get(name);
            if (found == null) {
                throw new IllegalArgumentException("there is no " + name + " among " + all.keySet());
            }
            return found;
        }
    }
}
