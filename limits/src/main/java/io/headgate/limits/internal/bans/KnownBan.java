package io.headgate.limits.internal.bans;

import io.headgate.limits.bans.BanEntry;
import org.jspecify.annotations.Nullable;

/**
 * A ban or an exemption, with its end by the clock of this process.
 *
 * @param endMicros in microseconds since 1970; {@link Long#MAX_VALUE} if it is permanent
 */
public record KnownBan(BanEntry entry, long endMicros) {

    boolean isExemption() {
        return entry.kind().isExemption();
    }

    private int rank() {
        return switch (entry.kind()) {
            case BAN -> 0;
            case COUNTED_EXEMPTION -> 1;
            case EXEMPTION -> 2;
        };
    }

    /**
     * Returns the entry that decides a request: an exemption, or else a counted exemption, or else a ban; of the same kind, the one that
     * ends last. One that has ended never does.
     */
    static @Nullable KnownBan preferred(@Nullable KnownBan best, @Nullable KnownBan other, long nowMicros) {
        if (other == null || other.endMicros() <= nowMicros) {
            return best;
        }
        if (best == null) {
            return other;
        }
        if (best.rank() != other.rank()) {
            return best.rank() > other.rank() ? best : other;
        }
        return other.endMicros() > best.endMicros() ? other : best;
    }
}
