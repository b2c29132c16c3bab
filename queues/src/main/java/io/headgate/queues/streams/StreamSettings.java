package io.headgate.queues.streams;

import io.headgate.queues.Durability;
import io.headgate.queues.internal.JobBounds;
import java.util.Objects;

/**
 * The name and the bounds of a stream. Each process applies its own settings to the entries that it produces, so use the same
 * in all processes. Immutable.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; part of the keys in Redis
 * @param maxLength the most entries: 1 to 1 000 000 000; 1 000 000 by default
 * @param maxPayloadBytes the largest encoded payload: 0 to 262 144 bytes; 65 536 by default
 * @param durability what {@code produce}, {@code declareGroup} and {@code removeGroup} wait for before they return; a group has
 *     a durability of its own
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

    /** Returns the same settings with another bound of entries. */
    public StreamSettings withMaxLength(long entries) {
        return new StreamSettings(name, entries, maxPayloadBytes, durability);
    }

    /** Returns the same settings with another bound of payloads, in bytes. */
    public StreamSettings withMaxPayloadBytes(int bytes) {
        return new StreamSettings(name, maxLength, bytes, durability);
    }

    /** Returns the same settings with another durability. */
    public StreamSettings withDurability(Durability wanted) {
        return new StreamSettings(name, maxLength, maxPayloadBytes, wanted);
    }
}
