package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bans whose keys are in a rare state. */
@Timeout(180)
class BanStateIT {

    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String STATE = "hg:{bans}:state";
    private static final String ENTRIES = "hg:{bans}:entries";
    private static final String ENDS = "hg:{bans}:ends";

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final RedisLimitEngine limits = redis.limits().bans(true).build();
    private final Bans bans = limits.bans();

    @AfterEach
    void close() {
        limits.close();
    }

    private void store(String command, String key, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of(command, key));
        words.addAll(arguments);
        redis.probe.command(words.toArray(String[]::new));
        redis.probe.command("PEXPIRE", key, "100000");
    }

    private boolean isAdded(String block) {
        try {
            bans.add(BanRequest.ban(BanTarget.ip(block)).lasting(HOUR));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void ended_blocks_make_room_also_if_many_other_entries_ended_before_them() {
        List<String> entries = new ArrayList<>();
        List<String> ends = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            entries.addAll(List.of("* user user-" + i, "ban 0 1 2 : :"));
            ends.addAll(List.of("2", "* user user-" + i));
        }
        entries.addAll(List.of("* ip 198.51.100.0%2F24", "ban 1 1 3 : :"));
        ends.addAll(List.of("3", "* ip 198.51.100.0%2F24"));
        store("HSET", ENTRIES, entries);
        store("ZADD", ENDS, ends);
        store("HSET", STATE, List.of("version", "1", "epoch", "e", "tip", "t", "blocks", "10000"));
        assertThat(isAdded("203.0.113.0/24"))
                .as("the oldest 1000 are removed first")
                .isFalse();
        assertThat(isAdded("203.0.113.0/24")).isTrue();
        assertThat(redis.probe.command("HLEN", ENTRIES)).isEqualTo(1L);
        assertThat(redis.probe.command("HGET", STATE, "blocks")).isEqualTo("10000");
    }

    @Test
    void all_entries_are_read_and_changed_also_if_their_state_was_evicted() {
        int entries = 1100;
        IntStream.range(0, entries)
                .forEach(i ->
                        bans.add(BanRequest.ban(BanTarget.user("user-" + i)).lasting(HOUR)));
        redis.probe.command("DEL", STATE);
        try (RedisLimitEngine late = redis.limits().bans(true).build()) {
            late.readBans();
            assertThat(late.bans().entries()).hasSize(entries);
            bans.lift(BanTarget.user("user-7"));
            Await.until("lifted", WITHIN, () -> late.bans().entries().size() == entries - 1);
            late.readBans();
            assertThat(late.bans().entries()).isEqualTo(bans.entries());
        }
    }

    @Test
    void an_entry_that_a_newer_version_wrote_does_not_hide_the_others() {
        bans.add(BanRequest.ban(BanTarget.user("mallory")).lasting(HOUR));
        redis.probe.command("HSET", ENTRIES, "* user odd", "mute 0 1 0 : :");
        redis.probe.command("ZADD", "hg:{bans}:changes", "2", "* user odd");
        redis.probe.command("HSET", STATE, "version", "2", "tip", "another");
        try (RedisLimitEngine late = redis.limits().bans(true).build()) {
            late.readBans();
            assertThat(late.bans().entries())
                    .extracting(entry -> entry.target().toString())
                    .containsExactly("user=mallory");
        }
    }
}
