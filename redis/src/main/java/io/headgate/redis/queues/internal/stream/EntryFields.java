package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.List;

/** The fields of a stored entry: {@code p} is the payload, all others are headers. */
final class EntryFields {

    /** The header with the id of the entry, of a job in a retry queue. */
    static final String ENTRY_HEADER = "headgate-entry";

    /** The field with the deduplication key; the header of that name, of a job in a retry queue. */
    static final String KEY = "headgate-key";

    /** The field with the payload. */
    static final String PAYLOAD = "p";

    private EntryFields() {}

    /** The arguments of an entry for produce.lua: how many follow, then the fields. */
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
