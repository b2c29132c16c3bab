package io.headgate.redis.queues;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Settled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Acks leases, each at the shard that its job is in.
 *
 * @param shards of the queue
 * @param leases of any of them
 * @param <T> what a payload is
 */
record ShardedAcks<T>(Shards<T> shards, List<RedisAsyncLease<T>> leases) {

    /** What became of each, in their order. */
    CompletableFuture<List<Settled>> run() {
        Map<Integer, List<Integer>> placesOf = new TreeMap<>();
        for (int place = 0; place < leases.size(); place++) {
            int shard = leases.get(place).shard();
            placesOf.computeIfAbsent(shard, none -> new ArrayList<>()).add(place);
        }
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        Settled[] settled = new Settled[leases.size()];
        placesOf.forEach((shard, places) -> calls.add(shards.at(shard)
                .ackAll(places.stream().<AsyncLease<T>>map(leases::get).toList())
                .thenAccept(answers -> {
                    for (int i = 0; i < places.size(); i++) {
                        settled[places.get(i)] = answers.get(i);
                    }
                })));
        return Shards.together(calls).thenApply(done -> List.of(settled));
    }
}
