package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogThrottleTest {

    private final AtomicLong now = new AtomicLong();
    private final LogThrottle throttle = new LogThrottle(now::get);
    private final List<String> lines = new ArrayList<>();

    @Test
    void a_line_after_a_pause_states_how_many_were_suppressed() {
        throttle.run(more -> lines.add("refused" + more));
        throttle.run(more -> lines.add("refused" + more));
        throttle.run(more -> lines.add("refused" + more));
        assertThat(lines).containsExactly("refused");

        now.addAndGet(TimeUnit.SECONDS.toNanos(5));
        throttle.run(more -> lines.add("refused" + more));
        now.addAndGet(TimeUnit.SECONDS.toNanos(5));
        throttle.run(more -> lines.add("refused" + more));
        assertThat(lines).containsExactly("refused", "refused (suppressed since the last such line: 2)", "refused");
    }
}
