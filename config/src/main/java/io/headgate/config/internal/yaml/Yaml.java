package io.headgate.config.internal.yaml;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node of a YAML file with its position. */
public sealed interface Yaml {

    Where where();

    /** Returns the text for this node after "was" in an error. */
    String shown();

    /**
     * A string, with or without quotes.
     *
     * @param written the text before its variables were replaced, which errors show instead of the text; empty if it has none
     */
    record Scalar(Where where, String text, Optional<String> written) implements Yaml {

        /** Creates a string without variables. */
        public Scalar(Where where, String text) {
            this(where, text, Optional.empty());
        }

        @Override
        public String shown() {
            return written.map(variables -> "the value of " + Quoted.value(variables))
                    .orElseGet(() -> Quoted.value(text));
        }
    }

    /** An empty value, {@code ~} or {@code null}. */
    record Empty(Where where) implements Yaml {
        @Override
        public String shown() {
            return "empty";
        }
    }

    /** A list. */
    record Sequence(Where where, List<Yaml> items) implements Yaml {
        @Override
        public String shown() {
            return "a list";
        }
    }

    /** A mapping. Each key occurs once; the keys are in the order of the file. */
    record Mapping(Where where, Map<String, Entry> entries) implements Yaml {
        @Override
        public String shown() {
            return "a mapping";
        }
    }

    /** A missing or rejected value, whose problem is already recorded, so readers report nothing more about it. */
    record Refused(Where where) implements Yaml {
        @Override
        public String shown() {
            return "refused";
        }
    }

    /** An entry of a mapping: the position of its key, and its value. */
    record Entry(Where key, Yaml value) {}
}
