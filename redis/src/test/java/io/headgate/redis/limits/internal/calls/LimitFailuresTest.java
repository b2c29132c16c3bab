package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LimiterException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitFailuresTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    acquire | ; nothing was charged   | ; it may have been charged; a request with an id can be retried without a second charge | true
                    refund  | ; nothing was refunded | ; permits may have been refunded; a decision is refunded only once, so retrying its refund is safe | true
                    reset   | ; no count was reset | ; the count may have been reset | true
                    hold    | ; no permit was taken    | ; permits may have been taken; they are released in the background, at the latest when the lease expires | true
                    release | ''                      | ; the hold may have been released; otherwise it expires with its lease | true
                    peek    | ''                      | ''                                                    | false
                    """)
    void an_error_states_the_possible_effect_of_the_operation(
            String operation, String notDone, String possibleEffect, boolean changes) {
        assertThat(LimitFailures.INSTANCE.notDone(operation)).isEqualTo(notDone);

        LimiterException lost = failure(operation, true);
        assertThat(lost).hasMessage(operation + " hg:key: no answer" + possibleEffect);
        assertThat(lost.mayBeCharged()).isEqualTo(changes);

        LimiterException unsent = failure(operation, false);
        assertThat(unsent).hasMessage(operation + " hg:key: no answer");
        assertThat(unsent.mayBeCharged()).isFalse();
    }

    private static LimiterException failure(String operation, boolean mayBeDone) {
        return LimitFailures.INSTANCE.failure(operation, "hg:key", "no answer", mayBeDone, null);
    }
}
