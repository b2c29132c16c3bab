package io.headgate.server.queues;

import io.headgate.queues.Priority;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a priority by its name in lower case. */
public final class PriorityOption implements ITypeConverter<Priority> {

    public static final String EXPECTED = "high, normal or low";

    /** The priority with that name, if there is one. */
    public static Optional<Priority> named(String given) {
        return Stream.of(Priority.values())
                .filter(priority -> Words.lower(priority).equals(given))
                .findFirst();
    }

    @Override
    public Priority convert(String given) {
        return named(given).orElseThrow(() -> new TypeConversionException(Quoted.of(given) + " is not " + EXPECTED));
    }
}
