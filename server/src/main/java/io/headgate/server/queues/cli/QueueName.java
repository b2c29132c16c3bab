package io.headgate.server.queues.cli;

import io.headgate.server.queues.OperatedQueues;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a queue on the command line. The error for an invalid name states what is allowed. */
final class QueueName implements ITypeConverter<String> {

    static final String EXPECTED = "Which queue: 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or a digit.";

    @Override
    public String convert(String given) {
        try {
            return OperatedQueues.settings(given).name();
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
