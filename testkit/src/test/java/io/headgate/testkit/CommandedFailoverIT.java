package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerVersionSensitive
@Timeout(180)
class CommandedFailoverIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_living_primary_is_replaced_on_command_even_with_one_sentinel_dead() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            sentinels.sentinels().get(0).kill();
            RedisServer first = sentinels.primary();
            RedisServer second = sentinels.failOver();
            assertThat(second).isNotSameAs(first);
            sentinels.awaitWhole(LONG);
        }
    }
}
