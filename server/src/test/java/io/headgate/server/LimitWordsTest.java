package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitWordsTest {

    @Test
    void each_kind_of_limit_reads_as_a_sentence_would() {
        assertThat(words(Limit.slidingWindow(100, Duration.ofMinutes(1)), "user"))
                .isEqualTo("100 permits in any minute, by user");
        assertThat(words(Limit.fixedWindow(1, Duration.ofDays(2)), "user", "ip"))
                .isEqualTo("1 permit in each 2 days of the clock, by user and ip");
        assertThat(words(Limit.fixedWindow(7, Duration.ofSeconds(90)).fromFirstRequest(), "a", "b", "c"))
                .isEqualTo("7 permits in each 90 seconds from the first request, by a, b and c");
        assertThat(words(Limit.tokenBucket(20, 5, Duration.ofSeconds(1))))
                .isEqualTo("bursts of 20 permits, refilled by 5 each second, all together");
        assertThat(words(Limit.slidingWindow(0, Duration.ofSeconds(1)))).isEqualTo("nothing, all together");
    }

    @Test
    void a_length_is_told_in_the_largest_unit_that_divides_it() {
        assertThat(LimitWords.of(Duration.ofHours(24))).isEqualTo("1 day");
        assertThat(LimitWords.of(Duration.ofMillis(1500))).isEqualTo("1500 milliseconds");
        assertThat(LimitWords.of(Duration.ofNanos(1_001_000))).isEqualTo("1001 microseconds");
    }

    private static String words(Limit limit, String... dimensions) {
        return LimitWords.of(Rule.of("r", limit, dimensions));
    }
}
