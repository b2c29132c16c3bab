package io.headgate.redis.queues;

import io.headgate.redis.queues.internal.shards.ShardMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Generates job keys that belong to a given shard. */
public final class ShardKeys {

    private ShardKeys() {}

    /** Returns an infinite stream of keys of one shard: the prefix and an ascending number. */
    public static Stream<String> of(String prefix, int shard, int shards) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(key -> ShardMap.ofKey(key, shards) == shard);
    }

    /** Returns the first key of a shard. */
    public static String first(String prefix, int shard, int shards) {
        return of(prefix, shard, shards).findFirst().orElseThrow();
    }
}
