package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EntryId;
import io.headgate.queues.Job;
import io.headgate.queues.Priority;
import io.headgate.queues.internal.Utf8;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry as it was handed out; it stays in the reply that it came in until it is asked for. */
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
    private boolean spokenOf;

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

    /** Reads one that was handed out under that fence, and goes on behind it. */
    static ClaimedEntry of(MessagePack from, byte[] reply, long fence, @Nullable Batch batch) {
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

    /** The id as Redis writes it. */
    byte[] idText() {
        MessagePack text = new MessagePack(reply, idAt);
        int length = text.text();
        return Arrays.copyOfRange(reply, text.at(), text.at() + length);
    }

    /** The how-manieth delivery it is. */
    int delivery() {
        return delivery;
    }

    /** The group's fence when it was handed out; 0 for none. */
    long fence() {
        return fence;
    }

    /** Under whose name it was handed out; null for the consumer's own. */
    @Nullable
    Batch batch() {
        return batch;
    }

    /** Says that something is said of it; whether that was the first time. */
    synchronized boolean speakOf() {
        boolean first = !spokenOf;
        spokenOf = true;
        return first;
    }

    /** How often its lease has expired: so each delivery but this one has ended. */
    int crashes() {
        return Math.min(delivery - 1, 255);
    }

    /** Its key, if it has one. */
    Optional<String> key() {
        MessagePack fields = new MessagePack(reply, fieldsAt);
        for (int left = fields.list(); left > 0; left -= 2) {
            if (fields.passed(KEY)) {
                return Optional.of(fields.string());
            }
            fields.skip(fields.text());
            fields.skip(fields.text());
        }
        return Optional.empty();
    }

    /** The entry as it is handed out. */
    <T> Job<T> decode(Codec<T> codec) {
        MessagePack fields = new MessagePack(reply, fieldsAt);
        byte @Nullable [] payload = null;
        Map<String, String> headers = Map.of();
        Optional<String> key = Optional.empty();
        for (int left = fields.list(); left > 0; left -= 2) {
            if (payload == null && fields.passed(PAYLOAD)) {
                int length = fields.text();
                payload = Arrays.copyOfRange(reply, fields.at(), fields.at() + length);
                fields.skip(length);
            } else if (fields.passed(KEY)) {
                key = Optional.of(fields.string());
            } else {
                headers = headers.isEmpty() ? new LinkedHashMap<>() : headers;
                headers.put(fields.string(), fields.string());
            }
        }
        return new Job<>(
                id.jobId(),
                codec.decode(payload == null ? new byte[0] : payload),
                Instant.ofEpochMilli(id.millis()),
                Priority.NORMAL,
                key,
                headers.isEmpty() ? headers : Collections.unmodifiableMap(headers),
                1,
                delivery,
                crashes(),
                List.of());
    }
}
