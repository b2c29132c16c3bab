package io.headgate.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightRule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When the next attempt after a denial may succeed. */
class DeniedHoldTest {

    private static final InFlightRule GLOBAL = new InFlightRule("global", 10, List.of());
    private static final InFlightRule PER_USER = new InFlightRule("per-user", 10, List.of("user"));

    /** Denies a request for 3 permits; the first leases expire after one second in the global place, after two in the other. */
    private static DeniedHold denied(long heldGlobally, long heldPerUser) {
        return DeniedHold.of(
                InFlight.counted(
                        List.of(
                                new InFlightCount(GLOBAL, heldGlobally, Optional.of(Duration.ofSeconds(1))),
                                new InFlightCount(PER_USER, heldPerUser, Optional.of(Duration.ofSeconds(2)))),
                        Instant.EPOCH),
                new PlacedHold("exports", HoldId.random(), 3, List.of("all", "alice"), Optional.empty()));
    }

    @Test
    void the_next_attempt_is_at_the_first_expiry_in_a_place_that_lacks_free_permits() {
        assertThat(denied(7, 8).full()).containsExactly("alice");
        assertThat(denied(7, 8).nextExpiryNanos())
                .isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(denied(10, 8).nextExpiryNanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(denied(7, 7).nextExpiryNanos()).isEqualTo(Long.MAX_VALUE);
    }
}
