package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The result that a caller receives for each outcome of its command. */
class FlightTest {

    private static final Failures FAILURES = new RecordedFailures();

    private final Flight<Integer> flight = flight("acquire");

    private static Flight<Integer> flight(String operation) {
        Script script = Script.of(operation, "return '1'");
        return new Flight<>(
                new ScriptCall<>(script, new String[] {"hg:key"}, new byte[0][], FlightTest::number), FAILURES, 0);
    }

    private static int number(byte[] reply) {
        return Integer.parseInt(new String(reply, StandardCharsets.US_ASCII));
    }

    @Test
    void a_reply_completes_the_call_with_its_value() {
        flight.land(new byte[] {'7'}, null);
        assertThat(flight.join()).isEqualTo(7);
    }

    @Test
    void an_error_reply_is_reported_as_not_done() {
        assertFails(null, new RedisCommandExecutionException("OOM"), false, "OOM; not done");
    }

    @Test
    void any_other_failure_is_reported_as_possibly_done() {
        assertFails(null, new RedisException("reset"), true, "reset");
    }

    @Test
    void a_missing_reply_is_reported_as_possibly_done() {
        assertFails(null, null, true, "no reply");
    }

    @Test
    void an_unreadable_reply_is_reported_as_possibly_done() {
        assertFails(new byte[] {'x'}, null, true, "the reply is not one of Headgate's scripts: .*x.*");
    }

    @Test
    void a_completed_caller_receives_no_second_result() {
        flight.fail("too late", true, null);
        flight.land(new byte[] {'7'}, null);
        assertThat(flight).isCompletedExceptionally();
        assertThat(flight.hasEnded()).isTrue();
    }

    private void assertFails(byte @Nullable [] reply, @Nullable Throwable problem, boolean mayBeDone, String message) {
        flight.land(reply, problem);
        assertThat(flight.hasEnded()).isTrue();
        assertThatThrownBy(flight::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(RecordedFailures.Recorded.class, failure -> assertThat(failure.mayBeDone)
                        .isEqualTo(mayBeDone))
                .hasMessageMatching("acquire hg:key: " + message);
    }
}
