package io.headgate.redis.queues;

import io.headgate.redis.queues.internal.shards.ShardMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Keys of jobs, by the shard that they belong to. */
public final class ShardKeys {

    private ShardKeys() {}

    /** Names of keys of one shard: the prefix and a number, in the order of the numbers, without an end. */
    public static Stream<String> of(String prefix, int shard, int shards) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(key -> ShardMap.ofKey(key, shards) == shard);
    }

    /** The first of them. */
    public static String first(String prefix, int shard, int shards) {
        return of(prefix, shard, shards).findFirst().orElseThrow();
    }
}
