package io.headgate.redis.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys with foreign values are reported, and logged at most once a minute. */
class ForeignKeysTest {

    private static final String REMEDY =
            " holds something that Headgate did not store; find which program writes it, then remove"
                    + " it (DEL %s) or give Headgate another key prefix";

    private final AtomicLong nanos = new AtomicLong();
    private final ForeignKeys keys = new ForeignKeys("redis://localhost:6379", nanos::get);

    @Test
    void the_latest_key_is_reported_for_a_minute_and_one_line_a_minute_is_logged() {
        Logger logger = Logger.getLogger(ForeignKeys.class.getName());
        List<String> lines = new ArrayList<>();
        Handler handler = handler(lines);
        logger.addHandler(handler);
        try {
            assertThat(keys.problem()).isEmpty();
            for (int i = 0; i < 1000; i++) {
                keys.found(List.of("hg:sw:a"));
                keys.found(List.of("hg:sw:b"));
            }
            assertThat(keys.problem()).contains("hg:sw:b" + String.format(REMEDY, "hg:sw:b"));
            assertThat(lines).containsExactly("redis://localhost:6379: hg:sw:a" + String.format(REMEDY, "hg:sw:a"));
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            assertThat(keys.problem()).isEmpty();
            keys.found(List.of("hg:sw:a"));
            assertThat(lines).hasSize(2);
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void if_the_foreign_key_is_uncertain_all_keys_are_named_and_none_is_to_be_removed() {
        keys.found(List.of("hg:sw:a", "hg:sw:b"));
        assertThat(keys.problem()).hasValueSatisfying(problem -> assertThat(problem)
                .startsWith("one of the keys hg:sw:a, hg:sw:b holds something that Headgate did not store")
                .doesNotContain("DEL"));
        keys.found(IntStream.range(0, 40).mapToObj(i -> "k" + i).toList());
        assertThat(keys.problem())
                .hasValueSatisfying(problem ->
                        assertThat(problem).contains("k15, k16 and 23 more").doesNotContain("k17"));
    }

    private static Handler handler(List<String> lines) {
        return new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
