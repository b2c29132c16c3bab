package io.headgate.bench.faults;

import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;

/** A primary with two replicas, which sentinels watch. */
record SentinelRedis(RedisSentinels all) implements FaultPlace {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static SentinelRedis open(String... arguments) {
        return new SentinelRedis(RedisSentinels.start(arguments));
    }

    @Override
    public String url() {
        return all.url();
    }

    /** Kills the primary, and returns when a replica is in its place. */
    void failOver() {
        RedisServer before = all.primary();
        before.kill();
        all.awaitPromotion(before, PATIENCE);
    }

    /** The same with replicas that had heard nothing of the primary for some time. */
    void failOverToReplicasBehind() {
        RedisServer before = all.primary();
        List<RedisServer> replicas =
                all.servers().stream().filter(one -> one != before).toList();
        Behind.kill(before, replicas);
        all.awaitPromotion(before, PATIENCE);
    }

    @Override
    public void close() {
        all.close();
    }
}
