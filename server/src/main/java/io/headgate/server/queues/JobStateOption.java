package io.headgate.server.queues;

import io.headgate.queues.inspect.JobState;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a state of jobs by its name in lower case. */
public final class JobStateOption implements ITypeConverter<JobState.Kind> {

    /**
     * The state with that name.
     *
     * @throws IllegalArgumentException if there is none; the message states what is allowed
     */
    public static JobState.Kind parse(String given) {
        return Arrays.stream(JobState.Kind.values())
                .filter(state -> Words.lower(state).equals(given))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("state " + Quoted.of(given) + " is not one of "
                        + Arrays.stream(JobState.Kind.values())
                                .map(Words::lower)
                                .collect(Collectors.joining(", "))));
    }

    @Override
    public JobState.Kind convert(String given) {
        try {
            return parse(given);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
