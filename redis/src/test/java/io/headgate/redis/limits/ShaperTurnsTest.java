package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.Admissions.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of {@link ShaperTurns} accepts correct replies and finds wrong ones. */
class ShaperTurnsTest {

    @Test
    void turns_that_are_spaced_have_no_faults() {
        assertThat(faults(turn(0, 0), turn(0, 10), turn(15, 5), turn(15, 15), denied(16), turn(20, 20), turn(99, 0)))
                .isEmpty();
        assertThat(thirds(turn(0, 0), turn(0, 4), turn(0, 7), denied(0), turn(4, 6), turn(8, 6)))
                .isEmpty();
    }

    @Test
    void a_turn_that_is_a_microsecond_too_early_is_found() {
        assertThat(faults(turn(0, 0), turn(0, 9))).singleElement().asString().startsWith("too close");
        assertThat(faults(turn(0, 0), turn(9, 0))).singleElement().asString().startsWith("too close");
        assertThat(thirds(turn(0, 0), turn(0, 3))).singleElement().asString().startsWith("too close");
    }

    @Test
    void fractions_of_a_microsecond_that_add_up_are_found() {
        assertThat(thirds(turn(0, 0), turn(1, 3), turn(4, 3), turn(7, 3), turn(10, 3)))
                .singleElement()
                .asString()
                .startsWith("too close");
        assertThat(thirds(turn(0, 0), turn(1, 3), turn(1, 7)))
                .singleElement()
                .asString()
                .startsWith("too far");
    }

    @Test
    void a_turn_that_is_a_microsecond_too_late_is_found() {
        assertThat(faults(turn(0, 0), turn(0, 11))).singleElement().asString().startsWith("too far");
    }

    @Test
    void one_permit_too_many_in_the_queue_is_found() {
        assertThat(faults(turn(0, 0), turn(0, 10), turn(0, 20), turn(0, 30)))
                .singleElement()
                .asString()
                .startsWith("too many");
    }

    @Test
    void a_denial_while_there_was_room_is_found() {
        assertThat(faults(turn(0, 0), turn(0, 10), denied(1)))
                .singleElement()
                .asString()
                .startsWith("wrong denial");
        assertThat(faults(turn(0, 0), turn(0, 10), turn(0, 20), denied(9))).isEmpty();
        assertThat(faults(turn(0, 0), turn(0, 10), turn(0, 20), denied(10)))
                .singleElement()
                .asString()
                .startsWith("wrong denial");
    }

    /** Checks a shaper with a capacity of three, from which a permit leaks every ten microseconds. */
    private static List<String> faults(Reply... replies) {
        return ShaperTurns.faults(List.of(replies), 3, 1, 10);
    }

    /** Checks a shaper with a capacity of three, from which three permits leak every ten microseconds. */
    private static List<String> thirds(Reply... replies) {
        return ShaperTurns.faults(List.of(replies), 3, 3, 10);
    }

    private static Reply turn(long atMicros, long delayMicros) {
        return new Reply(atMicros, true, 1, 3, delayMicros);
    }

    private static Reply denied(long atMicros) {
        return new Reply(atMicros, false, 1, 3, 0);
    }
}
