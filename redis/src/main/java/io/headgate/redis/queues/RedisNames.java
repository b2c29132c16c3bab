package io.headgate.redis.queues;

import io.headgate.queues.internal.JobBounds;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.ScriptCall;
import io.headgate.redis.internal.ScriptExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * The names of all queues, or of all streams, as a set in Redis. It is written once by each object that somebody has enqueued
 * with, and never cleaned: a name of which there is nothing any more is left out of the answer.
 *
 * @param set its key
 * @param keyOf the key that is there while what has the name is
 * @param scripts what asks
 * @param executor sends it
 */
record RedisNames(String set, UnaryOperator<String> keyOf, QueueScripts scripts, ScriptExecutor executor) {

    /** Notes the name when it is run first, and later if that failed; whoever runs it learns nothing of that. */
    Runnable registration(String name) {
        AtomicBoolean sent = new AtomicBoolean();
        return () -> {
            if (!sent.getPlain() && sent.compareAndSet(false, true)) {
                executor.execute(new ScriptCall<>(
                                scripts.register,
                                new String[] {set},
                                new byte[][] {name.getBytes(StandardCharsets.US_ASCII)},
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
                    List<String> names =
                            page.stream().skip(1).filter(JobBounds::isName).toList();
                    return there(names, found)
                            .thenCompose(more -> page.get(0).equals("0")
                                    ? CompletableFuture.completedFuture(found)
                                    : from(page.get(0).getBytes(StandardCharsets.US_ASCII), found));
                });
    }

    private CompletableFuture<Set<String>> there(List<String> names, Set<String> found) {
        if (names.isEmpty()) {
            return CompletableFuture.completedFuture(found);
        }
        String[] keys = names.stream().map(keyOf).toArray(String[]::new);
        return executor.execute(new ScriptCall<>(scripts.exist, keys, new byte[0][], reply -> {
            for (int i = 0; i < reply.length; i++) {
                if (reply[i] == '1') {
                    found.add(names.get(i));
                }
            }
            return found;
        }));
    }
}
