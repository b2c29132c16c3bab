package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The number of instances that share limits, by the messages received. */
class InstanceCountTest {

    private final InstanceCount count = new InstanceCount(1);

    @Test
    void a_higher_count_applies_immediately_and_a_lower_one_after_ten_seconds() {
        received(4, 0);
        assertThat(count.get()).isEqualTo(4);
        received(1, 1);
        received(3, 3);
        received(2, 10);
        assertThat(count.get()).isEqualTo(4);
        received(2, 11);
        assertThat(count.get()).isEqualTo(3);
    }

    @Test
    void a_count_as_high_as_before_restarts_the_ten_seconds() {
        received(4, 0);
        received(1, 1);
        received(4, 5);
        received(1, 9);
        received(1, 12);
        assertThat(count.get()).isEqualTo(4);
    }

    /** Without this, each instance would take the whole limit if Redis were reachable only for moments. */
    @Test
    void a_missing_reply_restarts_the_ten_seconds() {
        received(4, 0);
        received(1, 1);
        count.noReply();
        received(1, 20);
        assertThat(count.get()).isEqualTo(4);
        received(1, 30);
        assertThat(count.get()).isEqualTo(1);
    }

    /** Receives the number of instances in this second. */
    private void received(int instances, int second) {
        count.received(instances, TimeUnit.SECONDS.toNanos(second));
    }
}
