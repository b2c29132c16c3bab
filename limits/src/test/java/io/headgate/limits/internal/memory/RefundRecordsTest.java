package io.headgate.limits.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.internal.memory.RefundRecords.Refund;
import org.junit.jupiter.api.Test;

/** Tests the bounded records of refunds of an engine in memory. */
class RefundRecordsTest {

    private static final long NOW = 100;
    private static final long LATER = 1_000_000;

    private final RefundRecords records = new RefundRecords(2);

    private long refund(long chargeId, long decidedAtMicros, long countsUntilMicros) {
        return records.once(new Refund("p", chargeId, decidedAtMicros, countsUntilMicros), NOW, () -> 3);
    }

    @Test
    void a_decision_is_refunded_once() {
        assertThat(refund(1, 50, LATER)).isEqualTo(3);
        assertThat(refund(1, 50, LATER)).isZero();
        assertThat(refund(2, 50, LATER)).isEqualTo(3);
        assertThat(records.once(new Refund("other", 1, 50, LATER), NOW, () -> 4))
                .isEqualTo(4);
    }

    @Test
    void a_refund_of_0_permits_is_not_recorded() {
        assertThat(records.once(new Refund("p", 1, 50, LATER), NOW, () -> 0)).isZero();
        assertThat(records.size()).isZero();
        assertThat(refund(1, 50, LATER)).isEqualTo(3);
    }

    @Test
    void a_full_table_drops_the_oldest_record_and_refuses_decisions_as_old_as_its_decision_or_older() {
        refund(1, 50, LATER);
        refund(2, 60, LATER);
        assertThat(refund(3, 70, LATER)).isEqualTo(3);
        assertThat(records.size()).isEqualTo(2);
        assertThat(refund(1, 50, LATER)).isZero();
        assertThat(refund(4, 50, LATER)).isZero();
        assertThat(refund(6, 49, LATER)).isZero();
        assertThat(refund(5, 51, LATER)).isEqualTo(3);
        assertThat(refund(5, 51, LATER)).isZero();
    }

    @Test
    void dropping_the_record_of_an_expired_charge_refuses_no_decision() {
        refund(1, 50, NOW - 1);
        refund(2, 60, LATER);
        refund(3, 70, LATER);
        assertThat(records.size()).isEqualTo(2);
        assertThat(refund(4, 50, LATER)).isEqualTo(3);
    }
}
