package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.limits.Admissions.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of {@link Admissions} accepts correct replies and finds wrong ones. */
class AdmissionsTest {

    @Test
    void a_history_that_keeps_the_limit_has_no_faults() {
        assertThat(faults(admitted(0), admitted(4), denied(9), admitted(10), denied(13), admitted(14)))
                .isEmpty();
    }

    @Test
    void one_permit_too_many_is_found() {
        assertThat(faults(admitted(0), admitted(4), admitted(9)))
                .singleElement()
                .asString()
                .startsWith("too many");
    }

    @Test
    void a_denial_while_there_was_room_is_found() {
        assertThat(faults(admitted(0), denied(4))).singleElement().asString().startsWith("wrong denial");
    }

    @Test
    void a_permit_expires_exactly_one_window_after_it_was_admitted() {
        assertThat(faults(admitted(0), admitted(1), admitted(10))).isEmpty();
        assertThat(faults(admitted(0), admitted(1), admitted(9))).hasSize(1);
        assertThat(faults(admitted(0), admitted(1), denied(10))).hasSize(1);
    }

    @Test
    void replies_of_one_instant_may_have_been_decided_in_any_order() {
        assertThat(faults(denied(0), admitted(0), admitted(0))).isEmpty();
        assertThat(faults(admitted(0), admitted(0), admitted(0))).isNotEmpty();
    }

    @Test
    void each_reply_is_judged_by_its_own_limit() {
        assertThat(Admissions.faults(List.of(new Reply(0, true, 5, 10, 0), new Reply(1, true, 1, 3, 0)), 10))
                .hasSize(1);
        assertThat(Admissions.faults(List.of(new Reply(0, true, 2, 10, 0), new Reply(1, false, 2, 3, 0)), 10))
                .isEmpty();
    }

    private static List<String> faults(Reply... replies) {
        return Admissions.faults(List.of(replies), 10);
    }

    private static Reply admitted(long atMicros) {
        return new Reply(atMicros, true, 1, 2, 0);
    }

    private static Reply denied(long atMicros) {
        return new Reply(atMicros, false, 1, 2, 0);
    }
}
