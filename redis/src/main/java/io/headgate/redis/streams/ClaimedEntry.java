package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EntryId;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An entry as claim.lua hands it out.
 *
 * @param id its id
 * @param delivery the how-manieth delivery it is
 * @param reply what it lies in
 * @param fieldsAt where its fields begin
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ClaimedEntry(EntryId id, int delivery, byte[] reply, int fieldsAt) {

    private static final int MAX_DELIVERY = 65_535;

    /** Reads one, and goes on behind it. */
    static ClaimedEntry of(MessagePack from, byte[] reply) {
        int parts = from.list();
        EntryId id = EntryId.parse(from.string());
        int fieldsAt = from.at();
        for (int left = from.list(); left > 0; left--) {
            from.skip(from.text());
        }
        int delivery = parts < 3 ? 1 : (int) Math.min(MAX_DELIVERY, Long.parseLong(from.string()));
        return new ClaimedEntry(id, delivery, reply, fieldsAt);
    }

    /** How often its lease has expired: so each delivery but this one has ended. */
    int crashes() {
        return Math.min(delivery - 1, 255);
    }

    /** The entry as it is handed out. */
    <T> Job<T> decode(Codec<T> codec) {
        MessagePack fields = new MessagePack(reply, fieldsAt);
        Optional<byte[]> payload = Optional.empty();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int left = fields.list(); left > 0; left -= 2) {
            String name = fields.string();
            if (payload.isEmpty() && name.equals(EntryFields.PAYLOAD)) {
                int length = fields.text();
                payload = Optional.of(Arrays.copyOfRange(reply, fields.at(), fields.at() + length));
                fields.skip(length);
            } else {
                headers.put(name, fields.string());
            }
        }
        return new Job<>(
                id.jobId(),
                codec.decode(payload.orElseGet(() -> new byte[0])),
                Instant.ofEpochMilli(id.millis()),
                Priority.NORMAL,
                Optional.empty(),
                Collections.unmodifiableMap(headers),
                1,
                delivery,
                crashes(),
                List.of());
    }
}
