package io.headgate.queues.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Durability;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    private static final GroupSettings GROUP = GroupSettings.of("billing");
    private static final Durability CONFIRMED = Durability.replicas(1, Duration.ofSeconds(1));

    @Test
    void settings_of_a_stream_are_bounded() {
        StreamSettings orders = StreamSettings.of("orders");
        assertRejected(() -> orders.withMaxLength(0), "maxLength must be from 1 to 1000000000, was 0");
        assertRejected(
                () -> orders.withMaxPayloadBytes(1 << 21), "maxPayloadBytes must be from 0 to 262144, was 2097152");
        assertRejected(
                () -> StreamSettings.of("{a}"),
                "name of a stream must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"{a}\"");
    }

    @Test
    void settings_of_a_group_are_bounded() {
        assertRejected(() -> GROUP.withMaxCrashes(0), "maxCrashes must be from 1 to 100, was 0");
        assertRejected(
                () -> GROUP.withMinIdle(Duration.ofMillis(9)), "a lease must be from 10 ms to 1 day, was PT0.009S");
        assertRejected(() -> GROUP.withMinIdle(Duration.ofDays(2)), "a lease must be from 10 ms to 1 day, was PT48H");
        assertRejected(
                () -> GROUP.withKeepDone(Duration.ofMillis(999)),
                "keepDone must be 0 or from 1 second to 30 days, was PT0.999S");
        assertRejected(
                () -> GROUP.withKeepDone(Duration.ofDays(31)),
                "keepDone must be 0 or from 1 second to 30 days, was PT744H");
        assertThat(GROUP.withKeepDone(Duration.ZERO)).isEqualTo(GROUP);
        assertRejected(
                () -> GroupSettings.of("a:b"),
                "name of a group must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was \"a:b\"");
    }

    @Test
    void changing_a_setting_keeps_the_others() {
        GroupSettings changed = GROUP.withMinIdle(Duration.ofSeconds(5))
                .withMaxCrashes(7)
                .withKeepDone(Duration.ofHours(1))
                .withDurability(CONFIRMED)
                .fromNow();
        assertThat(changed)
                .isEqualTo(new GroupSettings(
                        "billing", new GroupSettings.Now(), Duration.ofSeconds(5), 7, Duration.ofHours(1), CONFIRMED));
        EntryId id = EntryId.parse("5-0");
        assertThat(changed.after(id))
                .isEqualTo(new GroupSettings(
                        "billing",
                        new GroupSettings.After(id),
                        Duration.ofSeconds(5),
                        7,
                        Duration.ofHours(1),
                        CONFIRMED));
        assertThat(StreamSettings.of("a")
                        .withMaxLength(5)
                        .withMaxPayloadBytes(6)
                        .withDurability(CONFIRMED))
                .isEqualTo(new StreamSettings("a", 5, 6, CONFIRMED));
    }

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
