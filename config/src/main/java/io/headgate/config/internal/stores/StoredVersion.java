package io.headgate.config.internal.stores;

import io.headgate.config.sources.PolicyVersion;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version as it is stored: seven lines, with its id, the time, the author, the reason, and what finds its texts.
 *
 * @param version who wrote it, when and why; its id is the number, a hyphen and the digest of the texts
 * @param attempt identifies the write: 16 hexadecimal digits
 * @param parts how many parts the texts have
 * @param bytes the size of the parts together
 */
public record StoredVersion(PolicyVersion version, String attempt, int parts, long bytes) {

    private static final int LINES = 7;
    private static final Pattern ID = Pattern.compile("([1-9][0-9]{0,14})(-[0-9a-f]{12})?");

    /** The number of a version, and its whole id if it is given. */
    public record Id(long number, Optional<String> whole) {

        /**
         * Parses what a user gives.
         *
         * @throws IllegalArgumentException if it is neither a number nor an id
         */
        public static Id parse(String text) {
            Matcher parts = ID.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException(
                        "a version must be a number such as 17, or an id such as 17-3c9f0b6a41de, was \"" + text
                                + "\"");
            }
            return new Id(
                    Long.parseLong(parts.group(1)),
                    Optional.ofNullable(parts.group(2)).map(digest -> text));
        }
    }

    /** The id of the version. */
    public String id() {
        return version.version();
    }

    /** The number of the version. */
    public long number() {
        return Id.parse(id()).number();
    }

    /** The text that is stored. */
    public String encoded() {
        return String.join(
                "\n",
                id(),
                version.writtenAt().toString(),
                version.by(),
                version.reason(),
                attempt,
                Integer.toString(parts),
                Long.toString(bytes));
    }

    /** Reads a stored text; empty if it is not one of a version. */
    public static Optional<StoredVersion> decoded(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length != LINES) {
            return Optional.empty();
        }
        try {
            Id.parse(lines[0]);
            return Optional.of(new StoredVersion(
                    new PolicyVersion(lines[0], Instant.parse(lines[1]), lines[2], lines[3]),
                    lines[4],
                    Integer.parseInt(lines[5]),
                    Long.parseLong(lines[6])));
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }
}
