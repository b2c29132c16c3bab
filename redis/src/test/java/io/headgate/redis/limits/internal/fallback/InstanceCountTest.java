package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many share limits, by what was heard. */
class InstanceCountTest {

    private final InstanceCount count = new InstanceCount(1);

    @Test
    void more_are_believed_at_once_and_fewer_after_ten_seconds() {
        heard(4, 0);
        assertThat(count.get()).isEqualTo(4);
        heard(1, 1);
        heard(3, 3);
        heard(2, 10);
        assertThat(count.get()).isEqualTo(4);
        heard(2, 11);
        assertThat(count.get()).isEqualTo(3);
    }

    @Test
    void as_many_as_before_end_what_was_said_of_fewer() {
        heard(4, 0);
        heard(1, 1);
        heard(4, 5);
        heard(1, 9);
        heard(1, 12);
        assertThat(count.get()).isEqualTo(4);
    }

    /** A Redis that comes back for a moment again and again would else have each instance take all. */
    @Test
    void silence_says_nothing_of_fewer() {
        heard(4, 0);
        heard(1, 1);
        count.unheard();
        heard(1, 20);
        assertThat(count.get()).isEqualTo(4);
        heard(1, 30);
        assertThat(count.get()).isEqualTo(1);
    }

    private void heard(int there, int second) {
        count.heard(there, TimeUnit.SECONDS.toNanos(second));
    }
}
