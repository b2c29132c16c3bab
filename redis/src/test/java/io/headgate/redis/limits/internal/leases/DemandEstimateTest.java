package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Frequent ids are found among any number of rare ones, and rare ones are not mistaken for them. */
class DemandEstimateTest {

    private static final long PERIOD = 1_000_000;

    private final DemandEstimate demand = new DemandEstimate(PERIOD);

    @Test
    void permits_of_an_id_are_counted_within_a_period() {
        assertThat(demand.add(List.of("alice"), 1, 5)).isEqualTo(1);
        assertThat(demand.add(List.of("alice"), 3, PERIOD - 1)).isEqualTo(4);
        assertThat(demand.add(List.of("alice"), 2, PERIOD)).isEqualTo(2);
        assertThat(demand.add(List.of("alice"), Long.MAX_VALUE, PERIOD)).isGreaterThan(1_000_000_000);
    }

    @Test
    void a_million_ids_with_one_request_each_are_not_worth_a_lease() {
        for (int id = 0; id < 1_000_000; id++) {
            assertThat(demand.add(List.of("user-" + id), 1, 5)).isLessThan(LeasedPermits.MIN_PERMITS);
        }
    }

    @Test
    void a_frequent_id_is_found_among_many_rare_ones() {
        long most = 0;
        for (int i = 0; i < 100_000; i++) {
            demand.add(List.of("user-" + i), 1, 5);
            if (i % 100 == 0) {
                most = Math.max(most, demand.add(List.of("alice"), 1, 5));
            }
        }
        assertThat(most).isGreaterThan(100);
    }
}
