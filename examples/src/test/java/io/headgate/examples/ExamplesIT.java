package io.headgate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each example, run as a user would run it, prints what its guide says. */
class ExamplesIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RedisServer redis = RedisServer.startOwn();

    @AfterEach
    void stop_the_redis() {
        redis.close();
    }

    @Test
    void the_first_limit_lets_five_in_and_says_when_to_come_back() {
        List<String> lines = run(FirstLimit.class, redis.url());
        assertThat(lines.subList(0, 5))
                .containsExactly(
                        "in, and 4 left", "in, and 3 left", "in, and 2 left", "in, and 1 left", "in, and 0 left");
        assertThat(lines.get(5)).startsWith("come back in PT");
        assertThat(keys()).containsExactly("hg:sw:logins:limit:alice");
    }

    @Test
    void the_one_line_sends_five_a_day() {
        assertThat(run(OneLine.class, redis.url()))
                .containsExactly(
                        "SMS 1: sent", "SMS 2: sent", "SMS 3: sent", "SMS 4: sent", "SMS 5: sent", "SMS 6: not sent");
    }

    @Test
    void several_rules_name_the_one_that_denied_and_charge_none() {
        assertThat(run(SeveralRules.class, redis.url()))
                .containsExactly(
                        "allowed, 8 of 10 left",
                        "denied by per-user, 8 of 10 left",
                        "allowed, 8 of 10 left",
                        "allowed, 1 of 10 left");
        assertThat(keys())
                .containsExactlyInAnyOrder(
                        "hg:tb:api:global:", "hg:sw:api:per-user:alice", "hg:fw:api:per-ip:192.0.2.7");
    }

    @Test
    void without_waiting_the_answer_is_the_same() {
        assertThat(run(WithoutWaiting.class, redis.url())).containsExactly("search");
    }

    @Test
    void in_memory_a_test_lets_time_pass() {
        assertThat(run(InMemory.class)).containsExactly("true", "false", "true");
    }

    @Test
    void policies_are_read_from_the_file() {
        assertThat(run(PoliciesFromFile.class, "policies.yaml"))
                .singleElement()
                .asString()
                .startsWith("allowed at ")
                .contains("per-user allowed, limit 5, remaining 4");
    }

    private static List<String> run(Class<?> example, String... arguments) {
        try (ChildJvm child = ChildJvm.of(example).start(arguments)) {
            List<String> lines = child.awaitOutput(PATIENCE);
            assertThat(child.awaitExit(PATIENCE)).isZero();
            return lines;
        }
    }

    private List<String> keys() {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            List<?> keys = (List<?>) Objects.requireNonNull(probe.command("KEYS", "*"));
            return keys.stream().map(String::valueOf).toList();
        }
    }
}
