package io.headgate.redis.queues;

import io.headgate.queues.internal.JobBounds;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name as it is noted.
 *
 * @param name the name itself
 * @param shards how many there are: 1 to 64
 */
record NotedName(String name, int shards) {

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]?");
    private static final Pattern LINE = Pattern.compile("([^:]+):([^:]+)");

    /** Reads a name, a colon and a number; nothing when it is none of ours. */
    static Optional<NotedName> of(String line) {
        Matcher form = LINE.matcher(line);
        if (!form.matches() || !JobBounds.isName(form.group(1))) {
            return Optional.empty();
        }
        OptionalInt shards = shards(form.group(2));
        return shards.isPresent() ? Optional.of(new NotedName(form.group(1), shards.getAsInt())) : Optional.empty();
    }

    /** Reads a number of shards; nothing when no queue has so many. */
    static OptionalInt shards(String noted) {
        if (!NUMBER.matcher(noted).matches() || Integer.parseInt(noted) > JobBounds.MAX_SHARDS) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Integer.parseInt(noted));
    }
}
