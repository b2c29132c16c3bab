package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A job that is due at a time, as its payload says. The clock is the machine's, and so Redis's. */
record DueJob(int number, long dueMicros) {

    static DueJob of(byte[] payload) {
        ByteBuffer bytes = ByteBuffer.wrap(payload);
        return new DueJob(bytes.getInt(), bytes.getLong());
    }

    byte[] payload() {
        byte[] payload = new byte[PeerQueue.PAYLOAD_BYTES];
        ByteBuffer.wrap(payload).putInt(number).putLong(dueMicros);
        return payload;
    }

    Instant due() {
        return Instant.EPOCH.plus(dueMicros, ChronoUnit.MICROS);
    }

    static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
