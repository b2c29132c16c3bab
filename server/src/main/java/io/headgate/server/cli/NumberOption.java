package io.headgate.server.cli;

import io.headgate.queues.QueueSettings;
import io.headgate.server.text.Quoted;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole number on the command line; one that is none, or out of its range, is answered with the range. */
public abstract class NumberOption implements ITypeConverter<Integer> {

    private final int min;
    private final int max;

    private NumberOption(int min, int max) {
        this.min = min;
        this.max = max;
    }

    /** A port to listen at; 0 takes any that is free. */
    public static final class OfPort extends NumberOption {
        OfPort() {
            super(0, 65_535);
        }
    }

    /** How many connections at once. */
    public static final class OfConnections extends NumberOption {
        OfConnections() {
            super(1, 1_000_000);
        }
    }

    /** How many keys an engine in memory counts at most. */
    public static final class OfKeysInMemory extends NumberOption {
        OfKeysInMemory() {
            super(1024, 100_000_000);
        }
    }

    /** How many instances share limits. */
    public static final class OfInstances extends NumberOption {
        OfInstances() {
            super(1, 10_000);
        }
    }

    /** How many jobs a command is about. */
    public static final class OfJobs extends NumberOption {
        OfJobs() {
            super(1, 1_000_000_000);
        }
    }

    /** How many jobs are shown at once. */
    public static final class OfPage extends NumberOption {
        OfPage() {
            super(1, QueueSettings.MAX_BATCH);
        }
    }

    /** How many keys are shown. */
    public static final class OfKeys extends NumberOption {
        OfKeys() {
            super(1, 256);
        }
    }

    /** How long a demo lasts, at most a day. */
    public static final class OfSeconds extends NumberOption {
        OfSeconds() {
            super(1, 86_400);
        }
    }

    @Override
    public Integer convert(String given) {
        try {
            int number = Integer.parseInt(given);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, like a number out of range.
        }
        throw new TypeConversionException(Quoted.of(given) + " is not a whole number from " + min + " to " + max);
    }
}
