package io.headgate.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurabilityTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void a_queue_waits_for_no_confirmation_by_default() {
        assertThat(QueueSettings.of("q").durability()).isEqualTo(Durability.none());
    }

    @Test
    void the_number_of_replicas_is_from_1_to_100() {
        Durability.replicas(1, SECOND);
        Durability.replicas(100, SECOND);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durability.replicas(0, SECOND))
                .withMessage("number of replicas must be from 1 to 100, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> Durability.replicas(101, SECOND));
    }

    @Test
    void at_least_one_append_only_file_is_required() {
        Durability.appendOnlyFile(true, 0, SECOND);
        Durability.appendOnlyFile(false, 1, SECOND);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durability.appendOnlyFile(false, 0, SECOND))
                .withMessage("number of replicas must be from 1 to 100, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> Durability.appendOnlyFile(true, -1, SECOND));
    }

    @Test
    void a_timeout_is_from_a_millisecond_to_a_minute() {
        Durability.replicas(1, Duration.ofMillis(1));
        Durability.replicas(1, Duration.ofMinutes(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durability.replicas(1, Duration.ZERO))
                .withMessage("timeout of a durability must be from 1 ms to 1 minute, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durability.appendOnlyFile(true, 0, Duration.ofSeconds(61)));
    }
}
