package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.Admissions.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check is worth something only if it finds what is wrong; a permit takes ten microseconds, or three and a third. */
class TurnsTest {

    @Test
    void turns_that_are_spaced_have_no_faults() {
        assertThat(faults(in(0, 0), in(0, 10), in(15, 5), in(15, 15), out(16), in(20, 20), in(99, 0)))
                .isEmpty();
        assertThat(thirds(in(0, 0), in(0, 4), in(0, 7), out(0), in(4, 6), in(8, 6)))
                .isEmpty();
    }

    @Test
    void a_turn_that_comes_a_microsecond_too_soon_is_found() {
        assertThat(faults(in(0, 0), in(0, 9))).singleElement().asString().startsWith("too close");
        assertThat(faults(in(0, 0), in(9, 0))).singleElement().asString().startsWith("too close");
        assertThat(thirds(in(0, 0), in(0, 3))).singleElement().asString().startsWith("too close");
    }

    @Test
    void parts_of_a_microsecond_that_add_up_are_found() {
        assertThat(thirds(in(0, 0), in(1, 3), in(4, 3), in(7, 3), in(10, 3)))
                .singleElement()
                .asString()
                .startsWith("too close");
        assertThat(thirds(in(0, 0), in(1, 3), in(1, 7)))
                .singleElement()
                .asString()
                .startsWith("too far");
    }

    @Test
    void a_turn_that_comes_a_microsecond_too_late_is_found() {
        assertThat(faults(in(0, 0), in(0, 11))).singleElement().asString().startsWith("too far");
    }

    @Test
    void one_permit_too_many_in_the_queue_is_found() {
        assertThat(faults(in(0, 0), in(0, 10), in(0, 20), in(0, 30)))
                .singleElement()
                .asString()
                .startsWith("too many");
    }

    @Test
    void a_denial_while_there_was_room_is_found() {
        assertThat(faults(in(0, 0), in(0, 10), out(1)))
                .singleElement()
                .asString()
                .startsWith("wrong denial");
        assertThat(faults(in(0, 0), in(0, 10), in(0, 20), out(9))).isEmpty();
        assertThat(faults(in(0, 0), in(0, 10), in(0, 20), out(10)))
                .singleElement()
                .asString()
                .startsWith("wrong denial");
    }

    /** Three may be in the queue. */
    private static List<String> faults(Reply... replies) {
        return Turns.faults(List.of(replies), 3, 1, 10);
    }

    private static List<String> thirds(Reply... replies) {
        return Turns.faults(List.of(replies), 3, 3, 10);
    }

    private static Reply in(long atMicros, long delayMicros) {
        return new Reply(atMicros, true, 1, 3, delayMicros);
    }

    private static Reply out(long atMicros) {
        return new Reply(atMicros, false, 1, 3, 0);
    }
}
