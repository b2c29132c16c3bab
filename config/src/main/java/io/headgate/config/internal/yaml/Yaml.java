package io.headgate.config.internal.yaml;

import java.util.List;
import java.util.Map;

/** A node of a YAML file that knows where it was written. */
public sealed interface Yaml {

    Where where();

    /** How it is shown after "was" in an error. */
    String shown();

    /** A text, with or without quotes. */
    record Scalar(Where where, String text) implements Yaml {
        @Override
        public String shown() {
            return Quoted.value(text);
        }
    }

    /** Nothing, {@code ~} or {@code null}. */
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

    /** Keys, each once, in the order of the file. */
    record Mapping(Where where, Map<String, Entry> entries) implements Yaml {
        @Override
        public String shown() {
            return "a mapping";
        }
    }

    /** Something that is missing or not taken; the problem is noted, and readers say no more about it. */
    record Refused(Where where) implements Yaml {
        @Override
        public String shown() {
            return "refused";
        }
    }

    /** A value of a mapping, and where its key is. */
    record Entry(Where key, Yaml value) {}
}
