package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.LimiterException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a caller is told of whatever can come of its command. */
class FlightTest {

    private final Flight<Integer> flight = flight("acquire");

    private static Flight<Integer> flight(String operation) {
        Script script = Script.of(operation, "return '1'");
        return new Flight<>(new ScriptCall<>(script, new String[] {"hg:key"}, new byte[0][], FlightTest::number), 0);
    }

    private static int number(byte[] reply) {
        return Integer.parseInt(new String(reply, StandardCharsets.US_ASCII));
    }

    @Test
    void a_reply_is_the_answer() {
        flight.land(new byte[] {'7'}, null);
        assertThat(flight.join()).isEqualTo(7);
    }

    @Test
    void an_error_reply_charged_nothing() {
        assertFails(null, new RedisCommandExecutionException("OOM"), false, "OOM; nothing was charged");
    }

    @Test
    void after_any_other_failure_it_may_be_charged() {
        assertFails(null, new RedisException("reset"), true, "reset; whether it was charged is not known");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    acquire | ; nothing was charged   | ; whether it was charged is not known                 | true
                    refund  | ; nothing was taken back | ; whether the charge was taken back is not known     | true
                    reset   | ; nothing was forgotten | ; whether the count was forgotten is not known        | true
                    peek    | ''                      | ''                                                    | false
                    """)
    void each_operation_says_what_is_true_of_it(String operation, String notDone, String notKnown, boolean changes) {
        Flight<Integer> refused = flight(operation);
        refused.land(null, new RedisCommandExecutionException("OOM"));
        assertThat(failureOf(refused)).hasMessage(operation + " hg:key: OOM" + notDone);
        assertThat(failureOf(refused).mayBeCharged()).isFalse();

        Flight<Integer> lost = flight(operation);
        lost.fail("no answer", true, null);
        assertThat(failureOf(lost)).hasMessage(operation + " hg:key: no answer" + notKnown);
        assertThat(failureOf(lost).mayBeCharged()).isEqualTo(changes);

        Flight<Integer> unsent = flight(operation);
        unsent.stop("not connected; nothing was sent", false);
        assertThat(failureOf(unsent)).hasMessage(operation + " hg:key: not connected; nothing was sent");
        assertThat(failureOf(unsent).mayBeCharged()).isFalse();
    }

    private static LimiterException failureOf(Flight<?> flight) {
        return (LimiterException) flight.handle((reply, problem) -> problem).join();
    }

    @Test
    void a_reply_that_is_none_may_be_charged() {
        assertFails(null, null, true, "no reply; whether it was charged is not known");
    }

    @Test
    void a_reply_that_can_not_be_read_may_be_charged() {
        assertFails(new byte[] {'x'}, null, true, "Redis answered what no script of ours answers: .*x.*");
    }

    @Test
    void a_caller_that_was_told_is_told_nothing_else() {
        flight.fail("too late", true, null);
        flight.land(new byte[] {'7'}, null);
        assertThat(flight).isCompletedExceptionally();
        assertThat(flight.hasEnded()).isTrue();
    }

    private void assertFails(
            byte @Nullable [] reply, @Nullable Throwable problem, boolean mayBeCharged, String message) {
        flight.land(reply, problem);
        assertThat(flight.hasEnded()).isTrue();
        assertThatThrownBy(flight::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isEqualTo(mayBeCharged))
                .hasMessageMatching("acquire hg:key: " + message);
    }
}
