package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Erlang's loss formula, compared with its usual recursion over the number of places. A place is a permit of an in-flight limit. */
class ErlangLossTest {

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "0.001, 3",
        "2, 5",
        "5, 2",
        "90, 100",
        "100, 100",
        "1000, 10",
        "30, 100000",
        "99000, 100000",
        "0.5, 0"
    })
    void the_denied_share_equals_that_of_the_recursion_over_the_places(double load, int places) {
        double denied = 1;
        for (int n = 1; n <= places; n++) {
            denied = load * denied / (n + load * denied);
        }
        ErlangLoss loss = new ErlangLoss(load, places);
        assertThat(loss.denied()).isCloseTo(denied, within(1e-9));
        // The mean number of occupied places is the admitted load.
        assertThat(loss.mean(held -> held)).isCloseTo(load * (1 - denied), within(1e-6 * Math.max(1, load)));
    }

    @Test
    void a_single_place_is_free_half_of_the_time_when_the_load_is_one() {
        ErlangLoss loss = new ErlangLoss(1, 1);
        assertThat(loss.share(0)).isEqualTo(0.5);
        assertThat(loss.share(1)).isEqualTo(0.5);
        assertThat(loss.share(2)).isZero();
    }

    @Test
    void the_maximum_of_occupied_places_ignores_very_rare_times() {
        assertThat(new ErlangLoss(30, 100_000).most()).isBetween(55, 65);
        assertThat(new ErlangLoss(30, 20).most()).isEqualTo(20);
    }
}
