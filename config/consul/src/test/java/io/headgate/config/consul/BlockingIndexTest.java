package io.headgate.config.consul;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which blocking query follows a reply, and when. */
class BlockingIndexTest {

    private static BlockingIndex after(long... returned) {
        BlockingIndex index = BlockingIndex.START;
        for (long next : returned) {
            index = index.after(BigInteger.valueOf(next));
        }
        return index;
    }

    @Test
    void the_first_query_does_not_wait_and_the_next_one_waits_for_a_change_of_its_index() {
        assertThat(BlockingIndex.START.isBlocking()).isFalse();
        assertThat(after(17)).isEqualTo(new BlockingIndex(BigInteger.valueOf(17)));
        assertThat(after(17).isBlocking()).isTrue();
        assertThat(after(17, 17, 20).value()).isEqualTo(20);
    }

    @Test
    void an_index_that_goes_backwards_starts_again_from_zero() {
        assertThat(after(17, 16)).isEqualTo(BlockingIndex.START);
        assertThat(after(17, 16, 16).value()).isEqualTo(16);
        assertThat(after(17, 0)).isEqualTo(BlockingIndex.START);
    }

    @Test
    void an_index_of_zero_after_the_first_query_is_one_so_that_the_next_query_waits() {
        assertThat(after(0).value()).isEqualTo(1);
        assertThat(after(17, 0, 0).value()).isEqualTo(1);
    }

    @Test
    void an_index_may_have_64_bits() {
        BigInteger large = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
        assertThat(BlockingIndex.START.after(large).value()).isEqualTo(large);
    }

    @Test
    void two_queries_that_return_at_once_are_followed_by_one_in_each_half_second() {
        long half = TimeUnit.MILLISECONDS.toNanos(500);
        long now = Long.MAX_VALUE - 10; // the clock of nanoTime may overflow
        QueryRate rate = new QueryRate(now);
        assertThat(rate.nextDelayNanos(now)).isZero();
        assertThat(rate.nextDelayNanos(now)).isZero();
        assertThat(rate.nextDelayNanos(now)).isEqualTo(half);
        assertThat(rate.nextDelayNanos(now + half)).isEqualTo(half);
        assertThat(rate.nextDelayNanos(now + 4 * half)).isZero();
        assertThat(rate.nextDelayNanos(now + 100 * half)).isZero();
    }
}
