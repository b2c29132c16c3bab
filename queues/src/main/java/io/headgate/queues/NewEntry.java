package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An entry that is to be added to a stream. Immutable.
 *
 * @param payload what it is about
 * @param headers what else is to be known of it
 * @param <T> what a payload is
 */
public record NewEntry<T>(T payload, Map<String, String> headers) {

    /** Checks the headers. */
    public NewEntry {
        headers = JobBounds.headers(headers);
    }

    /** An entry without headers. */
    public static <T> NewEntry<T> of(T payload) {
        return new NewEntry<>(payload, Map.of());
    }

    /** The same, with one more header. */
    public NewEntry<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new NewEntry<>(payload, more);
    }
}
