package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.LimiterException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Failures are logged at a bounded rate and without ids, and the problem of a failed store states what may have been done. */
class ErrorsTest {

    private final Logger log = (Logger) LoggerFactory.getLogger(Errors.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final Errors errors = new Errors();
    private final ServiceRequestContext ctx = ServiceRequestContext.of(HttpRequest.of(HttpMethod.GET, "/"));

    @BeforeEach
    void listen() {
        logged.start();
        log.addAppender(logged);
    }

    @AfterEach
    void stop() {
        log.detachAppender(logged);
    }

    @Test
    void an_internal_error_is_logged_also_while_the_store_fails() {
        for (int i = 0; i < 1000; i++) {
            errors.onServiceException(
                    ctx, new LimiterException("acquire", "k", "no answer", false, new IOException("gone")));
        }
        errors.onServiceException(ctx, new IllegalStateException("a fault"));

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("acquire k: no answer", "a request failed");
    }

    @Test
    void ids_of_users_are_not_in_the_log() {
        errors.onServiceException(
                ctx, new LimiterException("acquire", "hg:sw:{api}:per-user:alice:1", "no answer", false, null));

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("acquire hg:sw:{api}:per-user:*: no answer");
    }

    @ParameterizedTest
    @CsvSource({
        "acquire, true, whether this request was counted is not known",
        "acquire, false, this request was not counted",
        "refund, true, whether permits were returned is not known; a receipt is refunded once",
        "refund, false, no permits were returned"
    })
    void a_store_that_fails_is_503_and_the_problem_states_what_may_have_been_done(
            String operation, boolean mayBeDone, String detail) {
        AggregatedHttpResponse response = errors.onServiceException(
                        ctx, new LimiterException(operation, "k", "gone", mayBeDone, null))
                .aggregate()
                .join();

        assertThat(response.status().code()).isEqualTo(503);
        assertThat(response.contentUtf8()).contains("the limits are unavailable; " + detail);
    }
}
