package io.headgate.redis.queues;

import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.RedisExecutor;
import io.headgate.redis.internal.ScriptCall;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The names of all queues, or of all streams, and how many shards each has, as a hash in Redis. Whoever adds writes there, and
 * nobody cleans it: a name of which there is nothing any more is left out of the answer.
 *
 * @param hash its key
 * @param keyOf the key that is there while a shard of what has the name is
 * @param scripts what asks
 * @param executor sends it
 */
record RedisNames(String hash, KeyOf keyOf, QueueScripts scripts, RedisExecutor executor) {

    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Tells a key. */
    interface KeyOf {

        String key(String name, int shard);
    }

    /** Notes the name at the first run and again from time to time, as all data may be lost; whoever runs it learns nothing. */
    Runnable registration(String name) {
        AtomicLong again = new AtomicLong(System.nanoTime());
        return () -> {
            long now = System.nanoTime();
            long due = again.get();
            if (now - due >= 0 && again.compareAndSet(due, now + AGAIN_NANOS)) {
                note(new NotedName(name, 1)).exceptionally(problem -> {
                    again.set(now);
                    return 0;
                });
            }
        };
    }

    /** Notes a name, and no fewer shards than before; how many are noted then. */
    CompletableFuture<Integer> note(NotedName name) {
        String shards = Integer.toString(name.shards());
        return executor.execute(new ScriptCall<>(
                scripts.note, new String[] {hash}, new byte[][] {ascii(name.name()), ascii(shards)}, reply -> shards(
                                reply)
                        .orElse(name.shards())));
    }

    /** How many shards are noted; 1 when none are. */
    CompletableFuture<Integer> shards(String name) {
        return executor.execute(
                new ScriptCall<>(scripts.noted, new String[] {hash}, new byte[][] {ascii(name)}, reply -> shards(reply)
                        .orElse(1)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static OptionalInt shards(byte[] reply) {
        return NotedName.shards(new String(reply, StandardCharsets.ISO_8859_1));
    }

    /** All names of which there is something, in alphabetical order. */
    CompletableFuture<List<String>> all() {
        return from(Packed.text(0), new TreeSet<>()).thenApply(List::copyOf);
    }

    private CompletableFuture<Set<String>> from(byte[] cursor, Set<String> found) {
        return executor.execute(new ScriptCall<>(
                        scripts.names,
                        new String[] {hash},
                        new byte[][] {cursor},
                        reply -> List.of(new String(reply, StandardCharsets.ISO_8859_1).split("\n"))))
                .thenCompose(page -> {
                    List<NotedName> names = page.stream()
                            .skip(1)
                            .map(NotedName::of)
                            .flatMap(Optional::stream)
                            .toList();
                    return there(names, found)
                            .thenCompose(more -> page.get(0).equals("0")
                                    ? CompletableFuture.completedFuture(found)
                                    : from(page.get(0).getBytes(StandardCharsets.US_ASCII), found));
                });
    }

    private CompletableFuture<Set<String>> there(List<NotedName> names, Set<String> found) {
        if (names.isEmpty()) {
            return CompletableFuture.completedFuture(found);
        }
        List<String> nameOf = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (NotedName noted : names) {
            for (int shard = 0; shard < noted.shards(); shard++) {
                nameOf.add(noted.name());
                keys.add(keyOf.key(noted.name(), shard));
            }
        }
        return there(nameOf, keys, found);
    }

    /** In a Cluster one call for each slot, as they have to be of one. */
    private CompletableFuture<Set<String>> there(List<String> nameOf, List<String> keys, Set<String> found) {
        Map<Integer, List<Integer>> bySlot = new TreeMap<>();
        for (int i = 0; i < keys.size(); i++) {
            int slot = executor.isCluster() ? SlotHash.getSlot(keys.get(i)) : 0;
            bySlot.computeIfAbsent(slot, none -> new ArrayList<>()).add(i);
        }
        CompletableFuture<Set<String>> all = CompletableFuture.completedFuture(found);
        for (List<Integer> places : bySlot.values()) {
            all = all.thenCompose(some -> thereInOneSlot(places, nameOf, keys, some));
        }
        return all;
    }

    private CompletableFuture<Set<String>> thereInOneSlot(
            List<Integer> places, List<String> nameOf, List<String> keys, Set<String> found) {
        String[] asked = places.stream().map(keys::get).toArray(String[]::new);
        return executor.execute(new ScriptCall<>(scripts.exist, asked, new byte[0][], reply -> {
            for (int i = 0; i < reply.length; i++) {
                if (reply[i] == '1') {
                    found.add(nameOf.get(places.get(i)));
                }
            }
            return found;
        }));
    }
}
