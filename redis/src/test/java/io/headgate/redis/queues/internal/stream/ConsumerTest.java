package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumerTest {

    private static final String DIGITS = "0123456789abcdef0123456789abcdef";

    @Test
    void names_are_unique_and_contain_the_name_of_their_process() {
        Consumer one = new Consumer();
        Consumer other = new Consumer();
        assertThat(one.nextName()).isNotEqualTo(one.nextName()).isNotEqualTo(other.nextName());
        assertThat(Consumer.of(one.nextName())).isEqualTo(one.name()).isNotEqualTo(other.name());
        assertThat(Consumer.of(one.name())).isEqualTo(one.name());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "worker:1",
                DIGITS + ":",
                DIGITS + ":x",
                DIGITS + ":1:2",
                "0" + DIGITS + ":1",
                DIGITS + "-1"
            })
    void names_of_other_clients_are_returned_unchanged(String name) {
        assertThat(Consumer.of(name)).isEqualTo(name);
    }
}
