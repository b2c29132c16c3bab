package io.headgate.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FailureLogTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final FailureLog log = new FailureLog("headgate.web.routes[7]", nanos::get);

    @Test
    void failures_of_a_route_are_logged_at_most_once_a_minute(CapturedOutput output) {
        for (int i = 0; i < 3; i++) {
            log.failed(".by.user", "the value is absent", new IllegalStateException("first"));
        }
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        log.failed(".skip", "the route does not limit the request", new IllegalStateException("second"));
        assertThat(output.getAll().lines().filter(line -> line.contains("headgate.web.routes[7]")))
                .singleElement()
                .asString()
                .endsWith("headgate.web.routes[7].by.user failed; the value is absent");

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        log.failed(".skip", "the route does not limit the request", new IllegalStateException("third"));
        assertThat(output.getAll())
                .contains("headgate.web.routes[7].skip failed; the route does not limit the request. 3 earlier failures"
                        + " were not logged");
    }
}
