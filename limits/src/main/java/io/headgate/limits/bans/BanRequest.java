package io.headgate.limits.bans;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;
import java.util.Optional;

/**
 * A ban or an exemption that is not in force yet.
 *
 * <pre>{@code
 * bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(Duration.ofHours(1)).because("scraping").by("ada"));
 * }</pre>
 *
 * @param target the requests to which it applies
 * @param kind whether it is a ban or an exemption
 * @param duration how long it is in force: 1 second to 3660 days; empty if it is permanent
 * @param reason why: up to 256 characters without control characters
 * @param by who adds it: up to 128 characters without control characters
 */
public record BanRequest(BanTarget target, BanEntry.Kind kind, Optional<Duration> duration, String reason, String by) {

    private static final Duration MIN_DURATION = Duration.ofSeconds(1);
    private static final Duration MAX_DURATION = Duration.ofDays(3660);
    private static final int MAX_REASON = 256;
    private static final int MAX_BY = 128;

    /**
     * Checks the duration and the texts.
     *
     * @throws IllegalArgumentException if one of them is not allowed
     */
    public BanRequest {
        duration.ifPresent(time -> Bounds.wholeMillis("duration of a ban", time, MIN_DURATION, MAX_DURATION));
        requireLine("reason", reason, MAX_REASON);
        requireLine("by", by, MAX_BY);
    }

    private static void requireLine(String what, String text, int max) {
        if (text.length() > max || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(what + " of a ban must have at most " + max
                    + " characters, and no control characters such as line breaks; has " + text.length());
        }
    }

    /** Returns a permanent ban. */
    public static BanRequest ban(BanTarget target) {
        return new BanRequest(target, BanEntry.Kind.BAN, Optional.empty(), "", "");
    }

    /** Returns a permanent exemption; the exempt requests are not counted. */
    public static BanRequest exemption(BanTarget target) {
        return new BanRequest(target, BanEntry.Kind.EXEMPTION, Optional.empty(), "", "");
    }

    /** Returns a permanent exemption; the exempt requests are counted. */
    public static BanRequest countedExemption(BanTarget target) {
        return new BanRequest(target, BanEntry.Kind.COUNTED_EXEMPTION, Optional.empty(), "", "");
    }

    /** Returns the same request for a limited time: 1 second to 3660 days, in whole milliseconds. */
    public BanRequest lasting(Duration time) {
        return new BanRequest(target, kind, Optional.of(time), reason, by);
    }

    /** Returns the same request with this reason. */
    public BanRequest because(String why) {
        return new BanRequest(target, kind, duration, why, by);
    }

    /** Returns the same request, added by this person or program. */
    public BanRequest by(String who) {
        return new BanRequest(target, kind, duration, reason, who);
    }
}
