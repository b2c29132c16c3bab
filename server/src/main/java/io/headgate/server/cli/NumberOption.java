package io.headgate.server.cli;

import io.headgate.limits.bans.Bans;
import io.headgate.queues.QueueSettings;
import io.headgate.server.text.Quoted;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole number on the command line. The error for other text or a number out of range states the range. */
public abstract class NumberOption implements ITypeConverter<Integer> {

    private final int min;
    private final int max;

    private NumberOption(int min, int max) {
        this.min = min;
        this.max = max;
    }

    /** A listen port; 0 selects a free one. */
    public static final class OfPort extends NumberOption {
        OfPort() {
            super(0, 65_535);
        }
    }

    /** A number of open connections. */
    public static final class OfConnections extends NumberOption {
        OfConnections() {
            super(1, 1_000_000);
        }
    }

    /** The length of an IPv6 network, in bits. */
    public static final class OfPrefix extends NumberOption {
        OfPrefix() {
            super(1, 128);
        }
    }

    /** The maximum number of keys of an engine in memory. */
    public static final class OfKeysInMemory extends NumberOption {
        OfKeysInMemory() {
            super(1024, 100_000_000);
        }
    }

    /** The number of jobs that a command changes. */
    public static final class OfJobs extends NumberOption {
        OfJobs() {
            super(1, 1_000_000_000);
        }
    }

    /** The number of jobs on a page. */
    public static final class OfPage extends NumberOption {
        OfPage() {
            super(1, QueueSettings.MAX_BATCH);
        }
    }

    /** The number of hot keys in a list. */
    public static final class OfKeys extends NumberOption {
        OfKeys() {
            super(1, 256);
        }
    }

    /** The number of bans in a list. */
    public static final class OfBans extends NumberOption {
        OfBans() {
            super(1, Bans.MAX_ENTRIES);
        }
    }

    /** The number of records of the audit log. */
    public static final class OfRecords extends NumberOption {
        OfRecords() {
            super(1, 1000);
        }
    }

    /** The number of versions in a list. */
    public static final class OfVersions extends NumberOption {
        OfVersions() {
            super(1, 100);
        }
    }

    /** The duration of a demo in seconds, at most a day. */
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
            // Reported below, as a number out of range.
        }
        throw new TypeConversionException(Quoted.of(given) + " is not a whole number from " + min + " to " + max);
    }
}
