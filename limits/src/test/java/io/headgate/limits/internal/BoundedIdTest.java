package io.headgate.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedIdTest {

    @Test
    void an_id_of_up_to_128_characters_that_does_not_start_with_a_tilde_is_unchanged() {
        for (String id : new String[] {"", "alice", "\n", "x".repeat(128), "a~"}) {
            assertThat(BoundedId.of(id)).isSameAs(id);
        }
    }

    @Test
    void a_longer_id_is_replaced_by_its_hash() {
        assertThat(BoundedId.of("x".repeat(129))).hasSize(33).startsWith("~");
        assertThat(BoundedId.of("x".repeat(129))).isNotEqualTo(BoundedId.of("x".repeat(130)));
        assertThat(BoundedId.of("x".repeat(1_000_000))).hasSize(33);
    }

    @Test
    void an_id_that_starts_with_a_tilde_like_a_hash_is_hashed_too() {
        String hash = BoundedId.of("x".repeat(129));
        assertThat(BoundedId.of(hash)).isNotEqualTo(hash).hasSize(33);
        assertThat(BoundedId.of("~")).isNotEqualTo(BoundedId.of("~~"));
    }
}
