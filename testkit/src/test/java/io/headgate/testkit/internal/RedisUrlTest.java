package io.headgate.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUrlTest {

    @Test
    void every_part_is_read() {
        assertThat(RedisUrl.parse("redis://me:a%40b@example.org:7000/3"))
                .isEqualTo(new RedisUrl("example.org", 7000, List.of("me", "a@b"), Optional.of("3")));
    }

    @Test
    void parts_may_be_missing() {
        assertThat(RedisUrl.parse("redis://localhost"))
                .isEqualTo(new RedisUrl("localhost", 6379, List.of(), Optional.empty()));
        assertThat(RedisUrl.parse("redis://:secret@localhost/").authentication())
                .containsExactly("secret");
        assertThat(RedisUrl.parse("redis://secret@localhost/").authentication()).containsExactly("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost:6379", "rediss://localhost", "redis:///", "redis://a b"})
    void an_invalid_url_is_rejected_with_the_expected_form(String url) {
        assertThatThrownBy(() -> RedisUrl.parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redis://[[user]:password@]host[:port][/database]");
    }

    @Test
    void a_shown_url_has_no_credentials() {
        assertThat(RedisUrl.parse("redis://me:secret@localhost:1/2").withoutCredentials())
                .isEqualTo("redis://localhost:1/2");
        assertThatThrownBy(() -> RedisUrl.parse("rediss://me:secret@localhost")).hasMessageNotContaining("secret");
    }
}
