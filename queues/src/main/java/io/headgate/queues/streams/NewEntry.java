package io.headgate.queues.streams;

import io.headgate.queues.internal.JobBounds;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An entry to produce: a payload, and optionally a key and headers. Immutable.
 *
 * @param payload the payload, which the stream's codec encodes
 * @param key the key for {@linkplain #once deduplication}, if any: 1 to 255 bytes of UTF-8
 * @param headers metadata for the handler: up to 64 headers, 16 KiB of names and values in all; no name is empty, and {@code
 *     headgate-entry} and {@code headgate-key} are reserved
 * @param <T> the type of the payload
 */
public record NewEntry<T>(T payload, Optional<String> key, Map<String, String> headers) {

    /** Checks the key and the headers. */
    public NewEntry {
        key.ifPresent(JobBounds::key);
        headers = JobBounds.headers(headers);
    }

    /** Creates an entry without key and headers. */
    public static <T> NewEntry<T> of(T payload) {
        return new NewEntry<>(payload, Optional.empty(), Map.of());
    }

    /**
     * Sets a key for deduplication by groups that {@linkplain GroupSettings#withKeepDone keep keys of done entries}. A producer
     * that received no reply can produce the entry again under the same key. The stream then has both entries. After one of
     * them is acknowledged, such a group acknowledges the other without delivering it. If both are leased at the same time,
     * both are handled.
     *
     * @param entryKey 1 to 255 bytes of UTF-8
     */
    public NewEntry<T> once(String entryKey) {
        return new NewEntry<>(payload, Optional.of(entryKey), headers);
    }

    /** Adds a header, or replaces the value of an existing one. */
    public NewEntry<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new NewEntry<>(payload, key, more);
    }
}
