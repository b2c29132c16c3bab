package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LimiterException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitFailuresTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    acquire | ; nothing was charged   | ; whether it was charged is not known                 | true
                    refund  | ; nothing was refunded | ; whether the charge was refunded is not known     | true
                    reset   | ; no count was reset | ; whether the count was reset is not known        | true
                    hold    | ; no permit was taken    | ; whether permits were taken is not known; if so, they are free after the lease at the latest | true
                    release | ''                      | ; whether the hold was released is not known; it expires with its lease at the latest | true
                    peek    | ''                      | ''                                                    | false
                    """)
    void each_operation_says_what_is_true_of_it(String operation, String notDone, String notKnown, boolean changes) {
        assertThat(LimitFailures.INSTANCE.notDone(operation)).isEqualTo(notDone);

        LimiterException lost = failure(operation, true);
        assertThat(lost).hasMessage(operation + " hg:key: no answer" + notKnown);
        assertThat(lost.mayBeCharged()).isEqualTo(changes);

        LimiterException unsent = failure(operation, false);
        assertThat(unsent).hasMessage(operation + " hg:key: no answer");
        assertThat(unsent.mayBeCharged()).isFalse();
    }

    private static LimiterException failure(String operation, boolean mayBeDone) {
        return LimitFailures.INSTANCE.failure(operation, "hg:key", "no answer", mayBeDone, null);
    }
}
