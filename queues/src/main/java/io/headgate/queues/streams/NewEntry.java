package io.headgate.queues.streams;

import io.headgate.queues.internal.JobBounds;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An entry that is to be added to a stream. Immutable.
 *
 * @param payload what it is about
 * @param key what makes it the same as another entry, if anything does: 1 to 255 bytes as UTF-8
 * @param headers what else is to be known of it
 * @param <T> what a payload is
 */
public record NewEntry<T>(T payload, Optional<String> key, Map<String, String> headers) {

    /** Checks the key and the headers. */
    public NewEntry {
        key.ifPresent(JobBounds::key);
        headers = JobBounds.headers(headers);
    }

    /** An entry without headers. */
    public static <T> NewEntry<T> of(T payload) {
        return new NewEntry<>(payload, Optional.empty(), Map.of());
    }

    /**
     * The same, handled once by each group that {@linkplain GroupSettings#withKeepDone keeps what is done}: whoever does not
     * know whether it was produced may produce it again. It is in the stream twice then, and once one of the two is acked,
     * the group passes over the other. A group that has both in hand at once handles both.
     *
     * @param entryKey 1 to 255 bytes as UTF-8
     */
    public NewEntry<T> once(String entryKey) {
        return new NewEntry<>(payload, Optional.of(entryKey), headers);
    }

    /** The same, with one more header. */
    public NewEntry<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new NewEntry<>(payload, key, more);
    }
}
