package io.headgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class RedisOptionsTest {

    @Command(name = "some")
    private static final class Some {

        @Mixin
        private final RedisOptions redis = new RedisOptions();
    }

    @Test
    void a_command_to_copy_names_the_redis_and_the_prefix_that_were_given() {
        assertThat(command("--redis", "redis://127.0.0.1:6379"))
                .isEqualTo("./headgate queue ls --redis redis://127.0.0.1:6379");
        assertThat(command("--redis=redis://127.0.0.1:6379", "--key-prefix", "shop"))
                .isEqualTo("./headgate queue ls --redis redis://127.0.0.1:6379 --key-prefix shop");
    }

    @Test
    void options_that_are_not_given_are_omitted() {
        assertThat(command()).isEqualTo("./headgate queue ls");
    }

    @Test
    void a_command_to_copy_repeats_no_password() {
        assertThat(command("--redis", "rediss://alice:secret@redis.example:6380/1"))
                .isEqualTo("./headgate queue ls --redis URL");
    }

    @Test
    void arguments_with_special_characters_are_quoted() {
        assertThat(command("--redis", "redis://127.0.0.1:6379?clientName=o'hara&timeout=5s"))
                .isEqualTo("./headgate queue ls --redis 'redis://127.0.0.1:6379?clientName=o'\\''hara&timeout=5s'");
    }

    private static String command(String... given) {
        Some some = new Some();
        new CommandLine(some).parseArgs(given);
        return some.redis.command("queue ls");
    }
}
