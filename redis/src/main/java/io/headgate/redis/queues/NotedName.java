package io.headgate.redis.queues;

import io.headgate.queues.internal.JobBounds;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name as it is noted: {@code orders}, or {@code orders:8} for a queue of eight shards.
 *
 * @param name the name itself
 * @param shards how many there are
 */
record NotedName(String name, int shards) {

    private static final Pattern FORM = Pattern.compile("([^:]+)(?::([1-9][0-9]?))?");

    /** Reads a member of the set; nothing when it is none of ours. */
    static Optional<NotedName> of(String member) {
        Matcher form = FORM.matcher(member);
        if (!form.matches() || !JobBounds.isName(form.group(1))) {
            return Optional.empty();
        }
        int shards = form.group(2) == null ? 1 : Integer.parseInt(form.group(2));
        return shards <= JobBounds.MAX_SHARDS ? Optional.of(new NotedName(form.group(1), shards)) : Optional.empty();
    }

    String member() {
        return shards == 1 ? name : name + ":" + shards;
    }
}
