package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The number of instances that share limits, by the messages received. */
class InstanceCountTest {

    private final InstanceCount count = new InstanceCount(1);

    @Test
    void more_are_believed_at_once_and_fewer_after_ten_seconds() {
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
    void as_many_as_before_end_what_was_said_of_fewer() {
        received(4, 0);
        received(1, 1);
        received(4, 5);
        received(1, 9);
        received(1, 12);
        assertThat(count.get()).isEqualTo(4);
    }

    /** A Redis that comes back for a moment again and again would else have each instance take all. */
    @Test
    void silence_says_nothing_of_fewer() {
        received(4, 0);
        received(1, 1);
        count.noReply();
        received(1, 20);
        assertThat(count.get()).isEqualTo(4);
        received(1, 30);
        assertThat(count.get()).isEqualTo(1);
    }

    private void received(int there, int second) {
        count.received(there, TimeUnit.SECONDS.toNanos(second));
    }
}
