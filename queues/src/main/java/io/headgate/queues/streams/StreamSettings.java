package io.headgate.queues.streams;

import io.headgate.queues.Durability;
import io.headgate.queues.internal.JobBounds;
import java.util.Objects;

/**
 * What a stream is called and what it takes. Bounds are checked by whoever produces, so all processes should give the same.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys
 * @param maxLength how many entries the stream may have: 1 to 1 000 000 000; 1 000 000 by default
 * @param maxPayloadBytes how many bytes an entry's payload may have: 0 to 262 144; 65 536 by default
 * @param durability how safe what is produced must be before that is answered; what a group settles is as safe as its own
 *     settings say
 */
public record StreamSettings(String name, long maxLength, int maxPayloadBytes, Durability durability) {

    /** Checks the name and the ranges. */
    public StreamSettings {
        JobBounds.name("stream", name);
        JobBounds.inRange("maxLength", maxLength, 1, 1_000_000_000);
        JobBounds.inRange("maxPayloadBytes", maxPayloadBytes, 0, JobBounds.MAX_PAYLOAD_BYTES);
        Objects.requireNonNull(durability, "durability");
    }

    /** Returns the default settings: up to 1 000 000 entries of up to 64 KiB each, and no durability. */
    public static StreamSettings of(String name) {
        return new StreamSettings(name, 1_000_000, 64 * 1024, Durability.none());
    }

    /** The same, bounded to so many entries. */
    public StreamSettings withMaxLength(long entries) {
        return new StreamSettings(name, entries, maxPayloadBytes, durability);
    }

    /** The same, with payloads of up to so many bytes. */
    public StreamSettings withMaxPayloadBytes(int bytes) {
        return new StreamSettings(name, maxLength, bytes, durability);
    }

    /** The same, with calls that are answered when what they wrote is so safe. */
    public StreamSettings withDurability(Durability wanted) {
        return new StreamSettings(name, maxLength, maxPayloadBytes, wanted);
    }
}
