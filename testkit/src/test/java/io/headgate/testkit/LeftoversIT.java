package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The check finds exactly the keys of Headgate that have no expiry. */
class LeftoversIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final Leftovers leftovers = Leftovers.in(REDIS.url());

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
    void keys_that_expire_and_keys_of_other_programs_are_accepted() {
        probe.command("SET", "hg:sw:p:limit:a", "x", "EX", "1000");
        probe.command("SET", "other", "x");

        assertThatCode(leftovers::requireNone).doesNotThrowAnyException();
    }

    @Test
    void one_key_without_expiry_among_many_is_found_and_named() {
        for (int i = 0; i < 2000; i++) {
            probe.command("SET", "hg:sw:p:limit:" + i, "x", "EX", "1000");
        }
        probe.command("PERSIST", "hg:sw:p:limit:1234");

        assertThatThrownBy(leftovers::requireNone)
                .isInstanceOf(AssertionError.class)
                .hasMessage("keys without expiry: [hg:sw:p:limit:1234]");
    }

    @Test
    void a_pattern_selects_the_keys_that_are_checked() {
        probe.command("SET", "mine:a", "x");

        assertThatCode(leftovers::requireNone).doesNotThrowAnyException();
        assertThatThrownBy(Leftovers.in(REDIS.url(), "mine:*")::requireNone).hasMessageContaining("mine:a");
    }
}
