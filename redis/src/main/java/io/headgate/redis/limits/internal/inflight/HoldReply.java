package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decodes the replies of {@code acquire.lua} and {@code peek.lua} of in-flight limits. */
final class HoldReply {

    private static final int TIME_BYTES = 7;
    private static final int HELD_BYTES = 4;
    private static final int HEAD_BYTES = TIME_BYTES + 1;

    private final byte[] bytes;
    private final InFlightPolicy policy;

    HoldReply(byte[] bytes, InFlightPolicy policy) {
        this.bytes = bytes;
        this.policy = policy;
        if (bytes.length != HEAD_BYTES + policy.rules().size() * (HELD_BYTES + TIME_BYTES)) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
    }

    /** Whether the hold was granted. */
    boolean taken() {
        return flag(bytes[TIME_BYTES]);
    }

    InFlight inFlight() {
        long nowMicros = Packed.number(bytes, 0, TIME_BYTES);
        List<InFlightCount> counts = new ArrayList<>();
        int at = HEAD_BYTES;
        for (InFlightRule rule : policy.rules()) {
            long held = Packed.number(bytes, at, HELD_BYTES);
            long expiryMicros = Packed.number(bytes, at + HELD_BYTES, TIME_BYTES);
            if ((held == 0) != (expiryMicros == 0) || (held > 0 && expiryMicros <= nowMicros)) {
                throw new IllegalArgumentException(held + " held until " + expiryMicros + " at " + nowMicros);
            }
            Optional<Duration> next =
                    held == 0 ? Optional.empty() : Optional.of(Micros.toDuration(expiryMicros - nowMicros));
            counts.add(new InFlightCount(rule, held, next));
            at += HELD_BYTES + TIME_BYTES;
        }
        return InFlight.counted(counts, Micros.toInstant(nowMicros));
    }

    /** Decodes a byte that must be 1 or 0. */
    static boolean flag(byte value) {
        if (value != 1 && value != 0) {
            throw new IllegalArgumentException("neither 1 nor 0 but " + value);
        }
        return value == 1;
    }
}
