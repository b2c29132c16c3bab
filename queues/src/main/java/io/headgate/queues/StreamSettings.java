package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;

/**
 * What a stream is called and what it takes. Bounds are checked by whoever produces, so all processes should give the same.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys
 * @param maxLength how many entries may be in the stream: 1 to 1 000 000 000
 * @param maxPayloadBytes how large an entry's payload may be: 0 to 262 144
 */
public record StreamSettings(String name, long maxLength, int maxPayloadBytes) {

    /** Checks the name and the ranges. */
    public StreamSettings {
        JobBounds.name("stream", name);
        JobBounds.inRange("maxLength", maxLength, 1, 1_000_000_000);
        JobBounds.inRange("maxPayloadBytes", maxPayloadBytes, 0, JobBounds.MAX_PAYLOAD_BYTES);
    }

    /** Up to 1 000 000 entries of up to 64 KiB. */
    public static StreamSettings of(String name) {
        return new StreamSettings(name, 1_000_000, 64 * 1024);
    }

    /** The same, bounded to so many entries. */
    public StreamSettings withMaxLength(long entries) {
        return new StreamSettings(name, entries, maxPayloadBytes);
    }

    /** The same, with payloads of up to so many bytes. */
    public StreamSettings withMaxPayloadBytes(int bytes) {
        return new StreamSettings(name, maxLength, bytes);
    }
}
