package io.headgate.bench.peers;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Payloads that all differ: each its number and random bytes, the same in every run. */
public final class Payloads {

    private Payloads() {}

    public static List<byte[]> of(int count) {
        SplittableRandom random = new SplittableRandom(count);
        return IntStream.range(0, count)
                .mapToObj(number -> {
                    byte[] payload = new byte[PeerQueue.PAYLOAD_BYTES];
                    random.nextBytes(payload);
                    ByteBuffer.wrap(payload).putInt(number);
                    return payload;
                })
                .toList();
    }

    /** The number of a payload; -1 when it is none of these. */
    static int number(byte[] payload) {
        return payload.length < Integer.BYTES ? -1 : ByteBuffer.wrap(payload).getInt();
    }
}
