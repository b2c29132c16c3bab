package io.headgate.redis.streams;

import io.headgate.queues.NewEntry;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.List;

/** An entry as a stream keeps it: the field {@code p} is the payload, all others are headers. */
final class EntryFields {

    /** The header that names the entry in a group's queue. */
    static final String ENTRY_HEADER = "headgate-entry";

    /** The field that is the payload. */
    static final String PAYLOAD = "p";

    private EntryFields() {}

    /** What produce.lua takes: how many arguments follow, and these. */
    static List<byte[]> of(NewEntry<?> entry, byte[] payload) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Packed.text(2L + 2L * entry.headers().size()));
        arguments.add(Utf8.of(PAYLOAD));
        arguments.add(payload);
        entry.headers().forEach((name, value) -> {
            if (name.equals(ENTRY_HEADER)) {
                throw new IllegalArgumentException("the header " + ENTRY_HEADER + " is Headgate's own");
            }
            arguments.add(Utf8.of(name));
            arguments.add(Utf8.of(value));
        });
        return arguments;
    }
}
