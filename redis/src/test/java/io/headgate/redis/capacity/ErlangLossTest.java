package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many are denied, beside the formula as it is usually computed, place by place. */
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
    void denied_as_the_recursion_over_the_places_says(double load, int places) {
        double denied = 1;
        for (int n = 1; n <= places; n++) {
            denied = load * denied / (n + load * denied);
        }
        ErlangLoss loss = new ErlangLoss(load, places);
        assertThat(loss.denied()).isCloseTo(denied, within(1e-9));
        // What is admitted is what is held.
        assertThat(loss.mean(held -> held)).isCloseTo(load * (1 - denied), within(1e-6 * Math.max(1, load)));
    }

    @Test
    void one_place_is_free_as_long_as_it_is_taken_when_the_load_is_one() {
        ErlangLoss loss = new ErlangLoss(1, 1);
        assertThat(loss.share(0)).isEqualTo(0.5);
        assertThat(loss.share(1)).isEqualTo(0.5);
        assertThat(loss.share(2)).isZero();
    }

    @Test
    void what_is_rare_does_not_count_for_the_most() {
        assertThat(new ErlangLoss(30, 100_000).most()).isBetween(55, 65);
        assertThat(new ErlangLoss(30, 20).most()).isEqualTo(20);
    }
}
