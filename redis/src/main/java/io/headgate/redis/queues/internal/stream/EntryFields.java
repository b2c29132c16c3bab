package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.List;

/** The fields of a stored entry: the payload, the deduplication key, and headers. */
final class EntryFields {

    /** In a job of a retry queue, the header with the id of its entry. */
    static final String ENTRY_HEADER = "headgate-entry";

    /** The field with the deduplication key; in a job of a retry queue, the header with the key. */
    static final String KEY = "headgate-key";

    /** The field with the payload. */
    static final String PAYLOAD = "p";

    private EntryFields() {}

    /** The arguments for an entry, as produce.lua reads them: how many follow, then the names and values of the fields. */
    static List<byte[]> of(NewEntry<?> entry, byte[] payload) {
        List<byte[]> arguments = new ArrayList<>();
        int named = entry.headers().size() + (entry.key().isPresent() ? 1 : 0);
        arguments.add(Packed.text(2L + 2L * named));
        arguments.add(Utf8.of(PAYLOAD));
        arguments.add(payload);
        entry.key().ifPresent(key -> {
            arguments.add(Utf8.of(KEY));
            arguments.add(Utf8.of(key));
        });
        entry.headers().forEach((name, value) -> {
            if (name.equals(ENTRY_HEADER) || name.equals(KEY)) {
                throw new IllegalArgumentException("the header " + name + " is Headgate's own");
            }
            arguments.add(Utf8.of(name));
            arguments.add(Utf8.of(value));
        });
        return arguments;
    }
}
