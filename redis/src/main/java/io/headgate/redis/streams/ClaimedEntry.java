package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EntryId;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.Packed;
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
 * @param headersAt where its headers begin
 * @param payloadAt where its payload begins
 * @param end where the next entry begins
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ClaimedEntry(EntryId id, int delivery, byte[] reply, int headersAt, int payloadAt, int end) {

    static ClaimedEntry of(byte[] reply, int at) {
        int sizes = at + 1 + reply[at];
        int headersAt = sizes + 8;
        int payloadAt = headersAt + (int) Packed.number(reply, sizes + 2, 2);
        return new ClaimedEntry(
                EntryId.parse(Utf8.text(reply, at + 1, reply[at])),
                (int) Packed.number(reply, sizes, 2),
                reply,
                headersAt,
                payloadAt,
                payloadAt + (int) Packed.number(reply, sizes + 4, 4));
    }

    /** The entry as it is handed out: each delivery but this one has ended with its lease. */
    <T> Job<T> decode(Codec<T> codec) {
        return new Job<>(
                id.jobId(),
                codec.decode(Arrays.copyOfRange(reply, payloadAt, end)),
                Instant.ofEpochMilli(id.millis()),
                Priority.NORMAL,
                Optional.empty(),
                headers(),
                1,
                delivery,
                Math.min(delivery - 1, 255),
                List.of());
    }

    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        int at = headersAt;
        while (at < payloadAt) {
            int nameLength = (int) Packed.number(reply, at, 2);
            int valueAt = at + 2 + nameLength;
            int valueLength = (int) Packed.number(reply, valueAt, 2);
            headers.put(Utf8.text(reply, at + 2, nameLength), Utf8.text(reply, valueAt + 2, valueLength));
            at = valueAt + 2 + valueLength;
        }
        return Collections.unmodifiableMap(headers);
    }
}
