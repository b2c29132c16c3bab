package io.headgate.limits.bans;

import io.headgate.limits.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A ban or an exemption that was added to the {@link Bans} of an engine.
 *
 * @param target the requests to which it applies
 * @param kind whether it is a ban or an exemption
 * @param since when it was first added, by the clock of the engine
 * @param until when it ends, by the clock of the engine; empty if it is permanent
 * @param reason why it was added last; may be empty
 * @param by who added it last; may be empty
 */
public record BanEntry(BanTarget target, Kind kind, Instant since, Optional<Instant> until, String reason, String by) {

    /**
     * Returns how long it is still in force at a time; empty if it is permanent.
     *
     * @param at a time by the clock of the engine, such as that of a denial
     */
    public Optional<Duration> timeLeft(Instant at) {
        return until.map(end -> Duration.between(at, end));
    }

    /** What happens to the requests of a target. */
    public enum Kind {

        /** They are denied, on the basis {@link Decision.Basis#BANNED}. */
        BAN,

        /** They are allowed and not counted, on the basis {@link Decision.Basis#EXEMPT}. */
        EXEMPTION,

        /** They are decided and counted as if all rules were in shadow mode. So no rule denies them. */
        COUNTED_EXEMPTION;

        /** Whether it is an exemption of either kind. */
        public boolean isExemption() {
            return this != BAN;
        }
    }
}
