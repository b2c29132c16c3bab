package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which shard a key belongs to, and the limits of each shard. */
class ShardMapTest {

    @Test
    void the_crc_of_a_key_selects_its_shard() {
        assertThat(ShardMap.ofKey("a", 64)).isEqualTo((int) (0xE8B7BE43L % 64));
        assertThat(ShardMap.ofKey("123456789", 10)).isEqualTo((int) (0xCBF43926L % 10));
        assertThat(ShardMap.ofKey("ö", 7)).isBetween(0, 6);
    }

    @Test
    void each_shard_has_its_part_of_the_limits_of_the_queue() {
        QueueSettings whole =
                QueueSettings.of("orders").withMaxJobs(10).withShards(4).withKeepDone(KeepDone.newest(5));
        assertThat(IntStream.range(0, 4).mapToObj(shard -> ShardMap.shardSettings(whole, 4, shard)
                        .maxJobs()))
                .containsExactly(3L, 3L, 2L, 2L);
        assertThat(ShardMap.shardSettings(whole, 4, 3).keepDone().max()).isEqualTo(2);
        assertThat(ShardMap.shardSettings(whole.withKeepDone(KeepDone.none()), 4, 0)
                        .keepDone())
                .isEqualTo(KeepDone.none());
        // A queue may have more shards than it was opened with; each has room for at least one job.
        assertThat(ShardMap.shardSettings(whole, 64, 63).maxJobs()).isEqualTo(1);
    }
}
