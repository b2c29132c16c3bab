package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.headgate.limits.Limit;
import io.headgate.limits.SlidingWindow;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The computed means of a key of a sliding window, compared with those of a simulation of the script with at least 20 000 random requests.
 * The simulation ran once; the test contains its results. {@link CapacityPlanIT} compares plans with a real Redis.
 */
class SlidingWindowLoadTest {

    private static final RedisAllocation MEMORY = new RedisAllocation(16);
    private static final long KEY_BYTES = MEMORY.key(30);

    private static SlidingWindow window(long permits, long seconds) {
        return Limit.slidingWindow(permits, Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({
        // permits, window in seconds, requests in a window, attempts count, then the means:
        // the share of time for which the key exists, bytes, commands of a request
        "1, 60, 1, false, 0.941, 96, 1.49",
        "1, 60, 1, true, 0.957, 96, 2.64",
        "1, 86400, 0.5, false, 0.351, 96, 1.66",
        "1, 86400, 0.5, true, 0.410, 96, 2.40",
        "2, 3600, 1, false, 0.631, 109, 1.79",
        "5, 1, 0.01, false, 0.719, 97, 2.00",
        "5, 60, 3, false, 1, 123, 1.88",
        "5, 60, 3, true, 1, 120, 2.20",
        "10, 60, 20, false, 1, 203, 1.46",
        "10, 60, 20, true, 1, 144, 3.00",
        "10, 1, 50, false, 1, 236, 1.19",
        "16, 3600, 12, false, 1, 173, 1.93",
        "17, 60, 15, false, 1, 216, 1.96",
        "17, 60, 15, true, 1, 220, 2.79",
        "20, 3600, 10, false, 1, 180, 2.13",
        "30, 86400, 45, false, 1, 400, 2.29",
        "30, 86400, 45, true, 1, 400, 4.55",
        "50, 60, 40, false, 1, 463, 2.15",
        "100, 60, 3.6, false, 1, 137, 2.00",
        "100, 60, 30, false, 1, 404, 2.19",
        "100, 3600, 150, false, 1, 784, 1.92",
        "100, 3600, 150, true, 1, 784, 4.34",
        "1000, 60, 390, false, 1, 2576, 2.13",
        "1000, 60, 3000, false, 1, 5136, 1.40",
        "1000, 60, 3000, true, 1, 5136, 4.25",
        "10000, 60, 200, false, 1, 1552, 2.14",
    })
    void the_means_are_close_to_those_of_a_simulation(
            long permits,
            long seconds,
            double requests,
            boolean attempts,
            double alive,
            double bytes,
            double commands) {
        SlidingWindowLoad load = new SlidingWindowLoad(window(permits, seconds), attempts, requests / seconds, MEMORY);
        assertThat(load.aliveShare()).isCloseTo(alive, withinPercentage(3));
        assertThat(load.commandsPerRequest()).isCloseTo(commands, withinPercentage(8));
        assertThat(KEY_BYTES + load.bytes()).isCloseTo(KEY_BYTES + bytes, withinPercentage(10));
    }

    @Test
    void a_key_with_a_full_window_takes_the_bytes_of_a_full_window() {
        for (long permits : new long[] {1, 17, 100, 1000, 100_000}) {
            SlidingWindow window = window(permits, 60);
            SlidingWindowLoad load = new SlidingWindowLoad(window, false, permits, MEMORY);
            assertThat(load.bytes())
                    .isCloseTo((double) SlidingWindowLoad.fullBytes(window, MEMORY), withinPercentage(1));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-9, 1e9})
    void extreme_rates_have_means_within_their_bounds(double requestsPerSecond) {
        for (long permits : new long[] {0, 1, 2, 17, 1_000_000}) {
            for (boolean attempts : new boolean[] {false, true}) {
                SlidingWindowLoad load = new SlidingWindowLoad(
                        window(permits, Duration.ofDays(366).toSeconds()), attempts, requestsPerSecond, MEMORY);
                assertThat(load.aliveShare()).isBetween(0.0, 1.0);
                assertThat(load.bytes()).isBetween(0.0, 9e6);
                assertThat(load.commandsPerRequest()).isBetween(1.0, 4.5);
            }
        }
    }
}
