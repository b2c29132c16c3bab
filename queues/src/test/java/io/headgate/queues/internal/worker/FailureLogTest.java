package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.queues.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how many failures of handlers are logged as warnings. */
class FailureLogTest {

    private static final JobId ID = new JobId("0".repeat(30));
    private static final Logger LOGGER = Logger.getLogger(Worker.class.getName());

    private final List<LogRecord> records = new ArrayList<>();
    private final Exception failure = new Exception("no");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** Close to the overflow of the clock, which happens during a test. */
    private long now = Long.MAX_VALUE - FailureLog.WINDOW_NANOS / 2;

    private final FailureLog log = new FailureLog("queue mails", () -> now);

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setLevel(Level.FINE);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void restore() {
        LOGGER.removeHandler(handler);
        LOGGER.setLevel(null);
        LOGGER.setUseParentHandlers(true);
    }

    private void warn(int times) {
        for (int i = 0; i < times; i++) {
            log.warn(ID, "failed", failure);
        }
    }

    private List<LogRecord> warnings() {
        return records.stream()
                .filter(entry -> entry.getLevel().equals(Level.WARNING))
                .toList();
    }

    @Test
    void a_failure_is_logged_with_its_stack_trace_job_and_queue() {
        warn(1);
        assertThat(records).hasSize(1);
        assertThat(records.get(0).getMessage()).isEqualTo("job " + ID + " of queue mails: failed");
        assertThat(records.get(0).getThrown()).isSameAs(failure);
    }

    @Test
    void at_most_ten_failures_a_minute_are_warnings_and_the_next_warning_has_the_number_of_the_others() {
        warn(25);
        assertThat(warnings()).hasSize(10);
        assertThat(records).hasSize(25);
        now += FailureLog.WINDOW_NANOS - 1;
        warn(1);
        assertThat(warnings()).hasSize(10);
        now += 1;
        warn(2);
        assertThat(warnings()).hasSize(12);
        assertThat(warnings().get(10).getMessage())
                .endsWith("failed (and 16 failures before it that were not logged as warnings)");
        assertThat(warnings().get(11).getMessage()).endsWith(": failed");
    }

    @Test
    void at_most_ten_failures_are_warnings_within_any_minute() {
        now += FailureLog.WINDOW_NANOS - 1;
        warn(10);
        now += 1;
        warn(10);
        assertThat(warnings()).hasSize(10);
        now += FailureLog.WINDOW_NANOS - 1;
        warn(20);
        assertThat(warnings()).hasSize(20);
    }

    @Test
    void a_failure_at_the_debug_level_is_no_warning() {
        log.debug(ID, "failed", failure);
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.FINE);
        warn(10);
        assertThat(warnings()).hasSize(10);
    }

    @Test
    void an_exception_of_the_logger_does_not_reach_the_worker() {
        LOGGER.addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                LOGGER.removeHandler(this);
                throw new IllegalStateException("as a test");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        warn(1);
        assertThat(records).hasSize(1);
    }
}
