package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies of the scripts are parsed, and impossible replies are rejected. */
class HoldReplyTest {

    private static final InFlightPolicy POLICY = InFlightPolicy.of("p", 3);

    private static byte[] reply(long nowMicros, long taken, long held, long expiryMicros) {
        return new Packed()
                .number(nowMicros, 7)
                .number(taken, 1)
                .number(held, 4)
                .number(expiryMicros, 7)
                .bytes();
    }

    @Test
    void a_reply_states_the_held_permits_and_the_next_expiry() {
        HoldReply reply = new HoldReply(reply(1_000_000, 1, 2, 1_500_000), POLICY);
        assertThat(reply.taken()).isTrue();
        assertThat(reply.inFlight().at()).isEqualTo(Instant.ofEpochSecond(1));
        assertThat(reply.inFlight().rule("limit").held()).isEqualTo(2);
        assertThat(reply.inFlight().rule("limit").nextExpiry()).hasValue(Duration.ofMillis(500));
    }

    @ParameterizedTest
    @CsvSource({"1000, 2, 0, 0", "1000, 0, 0, 2000", "1000, 0, 1, 0", "1000, 0, 1, 1000"})
    void an_impossible_reply_is_rejected(long nowMicros, long taken, long held, long expiryMicros) {
        assertThatThrownBy(() -> {
                    HoldReply reply = new HoldReply(reply(nowMicros, taken, held, expiryMicros), POLICY);
                    assertThat(reply.taken()).isFalse();
                    reply.inFlight();
                })
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_reply_of_another_length_is_rejected() {
        assertThatThrownBy(() -> new HoldReply(new byte[18], POLICY)).hasMessage("18 bytes");
        assertThatThrownBy(() -> new HoldReply(new byte[20], POLICY)).hasMessage("20 bytes");
    }

    @Test
    void a_hold_is_held_if_all_its_keys_contain_it() {
        HoldPlaces places = new HoldPlaces(List.of(
                new PlacedHold("exports", new HoldId(1, 1), 2, List.of("all", "alice"), Optional.empty()),
                new PlacedHold("exports", new HoldId(1, 2), 1, List.of("all", "bob"), Optional.empty())));
        assertThat(places.keys()).containsExactly("all", "alice", "bob");
        // For each key, the holds that it must contain: 17 bytes each.
        assertThat(places.arguments().stream().map(holds -> holds.length)).containsExactly(34, 17, 17);
        // A flag for each key and its holds: both holds in "all", the first in "alice", the second in "bob".
        assertThat(places.heldInAll(replyOf(1, 1, 1, 1))).containsExactly(true, true);
        assertThat(places.heldInAll(replyOf(1, 1, 1, 0))).containsExactly(true, false);
        assertThat(places.heldInAll(replyOf(0, 1, 1, 1))).containsExactly(false, true);
        assertThatThrownBy(() -> places.heldInAll(replyOf(1, 1, 1))).hasMessage("3 bytes of 4 holds");
        assertThatThrownBy(() -> places.heldInAll(replyOf(1, 1, 2, 1))).hasMessage("neither 1 nor 0 but 2");
    }

    @Test
    void each_released_hold_has_the_permits_that_each_key_held() {
        PlacedHold two = new PlacedHold("exports", new HoldId(1, 1), 2, List.of("all", "alice"), Optional.empty());
        PlacedHold one = new PlacedHold("exports", new HoldId(1, 2), 1, List.of("bob", "all"), Optional.empty());
        HoldPlaces places = new HoldPlaces(List.of(two, one));
        // The released permits, in the same order.
        assertThat(places.released(replyOf(2, 0, 1, 1)))
                .containsExactly(new Released(two, List.of(2, 1)), new Released(one, List.of(1, 0)));
        assertThatThrownBy(() -> places.released(replyOf(2, 1, 1))).hasMessage("3 bytes of 4 holds");
        assertThatThrownBy(() -> places.released(replyOf(2, 1, 1, 101))).hasMessage("101 permits of a hold");
    }

    private static byte[] replyOf(int... each) {
        byte[] bytes = new byte[each.length];
        for (int i = 0; i < each.length; i++) {
            bytes[i] = (byte) each[i];
        }
        return bytes;
    }
}
