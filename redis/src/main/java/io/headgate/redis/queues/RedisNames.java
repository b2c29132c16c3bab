package io.headgate.redis.queues;

import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.ScriptCall;
import io.headgate.redis.internal.ScriptExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The names of all queues, or of all streams, as a set in Redis. It is written once by each object that somebody has enqueued
 * with, and never cleaned: a name of which there is nothing any more is left out of the answer.
 *
 * @param set its key
 * @param keyOf the key that is there while a shard of what has the name is
 * @param scripts what asks
 * @param executor sends it
 */
record RedisNames(String set, KeyOf keyOf, QueueScripts scripts, ScriptExecutor executor) {

    /** Tells a key. */
    interface KeyOf {

        String key(String name, int shard);
    }

    /** Notes the name when it is run first, and later if that failed; whoever runs it learns nothing of that. */
    Runnable registration(NotedName name) {
        AtomicBoolean sent = new AtomicBoolean();
        return () -> {
            if (!sent.getPlain() && sent.compareAndSet(false, true)) {
                executor.execute(new ScriptCall<>(
                                scripts.register,
                                new String[] {set},
                                new byte[][] {name.member().getBytes(StandardCharsets.US_ASCII)},
                                reply -> true))
                        .exceptionally(problem -> {
                            sent.set(false);
                            return false;
                        });
            }
        };
    }

    /** All names of which there is something, in alphabetical order. */
    CompletableFuture<List<String>> all() {
        return from(Packed.text(0), new TreeSet<>()).thenApply(List::copyOf);
    }

    private CompletableFuture<Set<String>> from(byte[] cursor, Set<String> found) {
        return executor.execute(new ScriptCall<>(
                        scripts.names,
                        new String[] {set},
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
        return executor.execute(new ScriptCall<>(scripts.exist, keys.toArray(String[]::new), new byte[0][], reply -> {
            for (int i = 0; i < reply.length; i++) {
                if (reply[i] == '1') {
                    found.add(nameOf.get(i));
                }
            }
            return found;
        }));
    }
}
