package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerVersionSensitive
class RedisProbeIT {

    // Not the shared server, which may be a given one with other data.
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        probe.close();
    }

    @Test
    void replies_are_text_numbers_lists_and_null() {
        assertThat(probe.command("SET", "k\u00e9y", "v\u00e1lue")).isEqualTo("OK");
        assertThat(probe.command("GET", "k\u00e9y")).isEqualTo("v\u00e1lue");
        assertThat(probe.command("GET", "absent")).isNull();
        assertThat(probe.command("EVAL", "return {1, 'two', false, {3}}", "0"))
                .isEqualTo(Arrays.asList(1L, "two", null, List.of(3L)));
    }

    @Test
    void bytes_are_read_back_unchanged() {
        byte[] key = {0, '\r', '\n', (byte) 0xff};
        byte[] value = new byte[256];
        IntStream.range(0, 256).forEach(i -> value[i] = (byte) i);

        probe.commandBytes(bytes("SET"), key, value);

        assertThat(probe.commandBytes(bytes("GET"), key)).isEqualTo(value);
    }

    @Test
    void an_error_reply_is_thrown_with_its_message_and_the_probe_still_works() {
        probe.command("SET", "text", "a");

        assertThatThrownBy(() -> probe.command("INCR", "text"))
                .isInstanceOf(RedisProbe.ErrorReply.class)
                .hasMessageContaining("not an integer");
        assertThat(probe.command("GET", "text")).isEqualTo("a");
    }

    @Test
    void keys_without_expiry_are_found_among_many_and_shown_readably() {
        for (int i = 0; i < 3000; i++) {
            probe.command("SET", "expires:" + i, "x", "EX", "1000");
        }
        probe.command("SET", "stays:b\u00e9", "x");
        probe.command("SADD", "stays:a", "x");
        probe.command("SET", "other", "x");
        probe.commandBytes(bytes("SET"), new byte[] {'s', 't', 'a', 'y', 's', (byte) 0xff, 0}, bytes("x"));

        assertThat(probe.keysWithoutExpiry("stays*")).containsExactly("stays:a", "stays:b\u00e9", "stays\\xff\\x00");
        assertThat(probe.keysWithoutExpiry("*")).hasSize(4).contains("other");
        assertThat(probe.keysWithoutExpiry("expires:*")).isEmpty();
    }

    @Test
    void info_and_command_calls_are_read() {
        probe.command("CONFIG", "RESETSTAT");
        probe.command("EVAL", "redis.call('SET', KEYS[1], 1) return redis.call('INCR', KEYS[1])", "1", "count");

        assertThat(probe.info("server")).containsKeys("redis_version", "process_id");
        assertThat(probe.commandCalls())
                .containsEntry("EVAL", 1L)
                .containsEntry("SET", 1L)
                .containsEntry("INCR", 1L)
                .doesNotContainKey("GET");
    }

    @Test
    void a_probe_reconnects_after_an_error_and_reports_the_address_if_it_cannot() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe other = RedisProbe.of(redis.url())) {
            assertThat(other.command("PING")).isEqualTo("PONG");
            redis.kill();
            assertThatThrownBy(() -> other.command("GET", "key")).isInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(() -> other.command("GET", "key"))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("no reply to GET from " + redis.url());
            redis.restart();
            assertThat(other.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void a_database_is_selected_and_a_wrong_password_is_reported_without_showing_it() {
        String address = "127.0.0.1:" + REDIS.port();
        try (RedisProbe third = RedisProbe.of("redis://" + address + "/3");
                RedisProbe stranger = RedisProbe.of("redis://nobody:secret@" + address)) {
            third.command("SET", "here", "yes");
            assertThat(probe.command("GET", "here")).isNull();
            assertThatThrownBy(() -> stranger.command("PING"))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("AUTH was refused")
                    .hasMessageNotContaining("secret");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
