package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.EntryId;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A claimed entry of a stream; its fields are decoded from the reply on demand. */
final class ClaimedEntry {

    private static final int MAX_DELIVERY = 65_535;
    private static final byte[] PAYLOAD = Utf8.of(EntryFields.PAYLOAD);
    private static final byte[] KEY = Utf8.of(EntryFields.KEY);

    private final EntryId id;
    private final int delivery;
    private final long fence;
    private final @Nullable Batch batch;
    private final byte[] reply;
    private final int idAt;
    private final int fieldsAt;
    private boolean settled;

    private ClaimedEntry(
            EntryId id, int delivery, long fence, @Nullable Batch batch, byte[] reply, int idAt, int fieldsAt) {
        this.id = id;
        this.delivery = delivery;
        this.fence = fence;
        this.batch = batch;
        this.reply = reply;
        this.idAt = idAt;
        this.fieldsAt = fieldsAt;
    }

    /**
     * Reads the reply of {@code XREADGROUP}, with the entries of one stream. In RESP2, the reply is a list of streams, each of which is a
     * list of name and entries; in RESP3, it is a map from name to entries.
     *
     * @return the size of the entries in bytes
     */
    static int readReply(byte[] reply, long fence, @Nullable Batch batch, List<ClaimedEntry> into) {
        MessagePack from = new MessagePack(reply, 0);
        if (!from.isNil()) {
            from.list();
            if (from.isList()) {
                from.list();
            }
            from.skip(from.text());
            readList(from, reply, fence, batch, into);
        }
        return from.at();
    }

    /**
     * Reads a list of entries.
     *
     * @param fence the fence of the group when the entries were claimed
     * @param batch the batch of the entries; null for none
     */
    static void readList(MessagePack from, byte[] reply, long fence, @Nullable Batch batch, List<ClaimedEntry> into) {
        for (int left = from.list(); left > 0; left--) {
            into.add(read(from, reply, fence, batch));
        }
    }

    private static ClaimedEntry read(MessagePack from, byte[] reply, long fence, @Nullable Batch batch) {
        int parts = from.list();
        int idAt = from.at();
        EntryId id = from.entryId();
        int fieldsAt = from.at();
        for (int left = from.list(); left > 0; left--) {
            from.skip(from.text());
        }
        int delivery = parts < 3 ? 1 : (int) Math.min(MAX_DELIVERY, Long.parseLong(from.string()));
        return new ClaimedEntry(id, delivery, fence, batch, reply, idAt, fieldsAt);
    }

    EntryId id() {
        return id;
    }

    /** The id in the format of Redis. */
    byte[] idText() {
        MessagePack text = new MessagePack(reply, idAt);
        int length = text.text();
        return Arrays.copyOfRange(reply, text.at(), text.at() + length);
    }

    /** The number of this delivery, from 1. */
    int delivery() {
        return delivery;
    }

    /**
     * The fence of the group when the entry was claimed: a number that grows when a consumer takes over entries with expired leases; 0 for
     * none.
     */
    long fence() {
        return fence;
    }

    /** The batch of the entry; null if it was claimed under the name of the consumer itself. */
    @Nullable
    Batch batch() {
        return batch;
    }

    /** Records that a call settles the entry; returns whether this is the first such call. */
    synchronized boolean markSettled() {
        boolean first = !settled;
        settled = true;
        return first;
    }

    /** How many leases of the entry have expired; every delivery before this one ended that way. */
    int crashes() {
        return Math.min(delivery - 1, 255);
    }

    /** The deduplication key. */
    Optional<String> key() {
        MessagePack fields = new MessagePack(reply, fieldsAt);
        for (int left = fields.list(); left > 0; left -= 2) {
            if (fields.skipIfEqual(KEY)) {
                return Optional.of(fields.string());
            }
            fields.skip(fields.text());
            fields.skip(fields.text());
        }
        return Optional.empty();
    }

    /** Decodes the entry. */
    <T> Job<T> decode(Codec<T> codec) {
        MessagePack fields = new MessagePack(reply, fieldsAt);
        byte @Nullable [] payload = null;
        Map<String, String> headers = Map.of();
        Optional<String> key = Optional.empty();
        for (int left = fields.list(); left > 0; left -= 2) {
            if (payload == null && fields.skipIfEqual(PAYLOAD)) {
                int length = fields.text();
                payload = Arrays.copyOfRange(reply, fields.at(), fields.at() + length);
                fields.skip(length);
            } else if (fields.skipIfEqual(KEY)) {
                key = Optional.of(fields.string());
            } else {
                headers = headers.isEmpty() ? new LinkedHashMap<>() : headers;
                headers.put(fields.string(), fields.string());
            }
        }
        // The first attempt: an entry that has failed is delivered from the retry queue.
        return new Job<>(
                id.jobId(),
                codec.decode(payload == null ? new byte[0] : payload),
                Instant.ofEpochMilli(id.millis()),
                Priority.NORMAL,
                key,
                headers.isEmpty() ? headers : Collections.unmodifiableMap(headers),
                Optional.empty(),
                1,
                delivery,
                crashes(),
                List.of());
    }
}
