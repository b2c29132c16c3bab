package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.internal.JobBounds;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.queue.QueueScripts;
import io.headgate.redis.queues.internal.stream.StreamEngine;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The registry of all queues, or of all streams: a hash in Redis, which maps a name to its number of shards and to whether its jobs have
 * tenants. A client registers a name when it adds jobs or entries, declares a group, or opens a queue with more shards than are registered
 * and claims from it. Names are never removed; a name without keys in Redis is not listed.
 *
 * @param hash the key of the hash
 * @param keyOf returns the key that exists while a shard exists
 * @param scripts the scripts
 * @param executor sends the calls
 */
public record NameRegistry(String hash, KeyOf keyOf, QueueScripts scripts, RedisExecutor executor) {

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Returns the key that exists while a shard exists. */
    interface KeyOf {

        String key(String name, int shard);
    }

    /** The registry of queues. */
    public static NameRegistry ofQueues(String keyPrefix, QueueScripts scripts, RedisExecutor executor) {
        return new NameRegistry(
                keyPrefix + ":queues",
                (name, shard) -> new QueueKeys(keyPrefix, name, shard).header(),
                scripts,
                executor);
    }

    /** The registry of streams. */
    public static NameRegistry ofStreams(String keyPrefix, QueueScripts scripts, RedisExecutor executor) {
        return new NameRegistry(
                keyPrefix + ":streams", (name, shard) -> StreamEngine.key(keyPrefix, name), scripts, executor);
    }

    /**
     * Returns a task that registers a name: when it first runs, and then at most every ten seconds, because Redis may have lost its data.
     * The task ignores failures.
     */
    public Runnable registration(String name) {
        AtomicLong dueNanos = new AtomicLong(System.nanoTime());
        return () -> {
            long now = System.nanoTime();
            long due = dueNanos.get();
            if (now - due >= 0 && dueNanos.compareAndSet(due, now + REFRESH_NANOS)) {
                RegisteredName own = new RegisteredName(name, 1, false);
                register(own).exceptionally(problem -> {
                    dueNanos.set(now);
                    return own;
                });
            }
        };
    }

    /** Registers a name; its number of shards does not decrease. Returns what is registered now. */
    CompletableFuture<RegisteredName> register(RegisteredName name) {
        return executor.execute(new ScriptCall<>(
                scripts.registerName,
                new String[] {hash},
                new byte[][] {ascii(name.name()), ascii(name.value())},
                reply -> registered(name.name(), reply).orElse(name)));
    }

    /** Returns what is registered for a name; if nothing, one shard without tenants. */
    CompletableFuture<RegisteredName> registered(String name) {
        return executor.execute(new ScriptCall<>(
                scripts.shardCount, new String[] {hash}, new byte[][] {ascii(name)}, reply -> registered(name, reply)
                        .orElse(new RegisteredName(name, 1, false))));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Optional<RegisteredName> registered(String name, byte[] reply) {
        return RegisteredName.of(name, new String(reply, StandardCharsets.ISO_8859_1));
    }

    /** Returns all names whose keys exist, in alphabetical order; waits for them. */
    public List<String> list(Duration timeout, Failures failures) {
        return new BlockingCalls(timeout, failures, hash).ofManyCalls().await("names", this::all);
    }

    /** Returns all names whose keys exist, in alphabetical order. */
    CompletableFuture<List<String>> all() {
        return scan(Packed.text(0), new TreeSet<>()).thenApply(List::copyOf);
    }

    private CompletableFuture<Set<String>> scan(byte[] cursor, Set<String> found) {
        return executor.execute(new ScriptCall<>(
                        scripts.listNames,
                        new String[] {hash},
                        new byte[][] {cursor},
                        reply -> List.of(new String(reply, StandardCharsets.ISO_8859_1).split("\n"))))
                .thenCompose(page -> {
                    List<RegisteredName> names = page.stream()
                            .skip(1)
                            .map(RegisteredName::of)
                            .flatMap(Optional::stream)
                            .toList();
                    return existing(names, found)
                            .thenCompose(more -> page.get(0).equals("0")
                                    ? CompletableFuture.completedFuture(found)
                                    : scan(page.get(0).getBytes(StandardCharsets.US_ASCII), found));
                });
    }

    private CompletableFuture<Set<String>> existing(List<RegisteredName> names, Set<String> found) {
        if (names.isEmpty()) {
            return CompletableFuture.completedFuture(found);
        }
        List<String> nameOf = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (RegisteredName name : names) {
            for (int shard = 0; shard < name.shards(); shard++) {
                nameOf.add(name.name());
                keys.add(keyOf.key(name.name(), shard));
            }
        }
        return existing(nameOf, keys, found);
    }

    /** Makes one call for each slot of a Cluster, because the keys of a script must be in one slot. */
    private CompletableFuture<Set<String>> existing(List<String> nameOf, List<String> keys, Set<String> found) {
        Map<Integer, List<Integer>> bySlot = new TreeMap<>();
        for (int i = 0; i < keys.size(); i++) {
            int slot = executor.isCluster() ? SlotHash.getSlot(keys.get(i)) : 0;
            bySlot.computeIfAbsent(slot, none -> new ArrayList<>()).add(i);
        }
        CompletableFuture<Set<String>> all = CompletableFuture.completedFuture(found);
        for (List<Integer> indexes : bySlot.values()) {
            all = all.thenCompose(some -> existingInOneSlot(indexes, nameOf, keys, some));
        }
        return all;
    }

    private CompletableFuture<Set<String>> existingInOneSlot(
            List<Integer> indexes, List<String> nameOf, List<String> keys, Set<String> found) {
        String[] keysOfSlot = indexes.stream().map(keys::get).toArray(String[]::new);
        return executor.execute(new ScriptCall<>(scripts.keysExist, keysOfSlot, new byte[0][], reply -> {
            for (int i = 0; i < reply.length; i++) {
                if (reply[i] == '1') {
                    found.add(nameOf.get(indexes.get(i)));
                }
            }
            return found;
        }));
    }

    /**
     * A name of the registry.
     *
     * @param name the name
     * @param shards its number of shards: 1 to 64
     * @param tenants whether its jobs may have tenants
     */
    public record RegisteredName(String name, int shards, boolean tenants) {

        private static final String TENANTS = "t";
        private static final Pattern VALUE = Pattern.compile("([1-9][0-9]?)(" + TENANTS + "?)");
        private static final Pattern LINE = Pattern.compile("([^:]+):([^:]+)");

        /** The value of the hash: the number of shards, and a letter if there are tenants. */
        String value() {
            return shards + (tenants ? TENANTS : "");
        }

        /** Parses a name, a colon and a value; empty if Headgate did not write them. */
        static Optional<RegisteredName> of(String line) {
            Matcher form = LINE.matcher(line);
            if (!form.matches() || !JobBounds.isName(form.group(1))) {
                return Optional.empty();
            }
            return of(form.group(1), form.group(2));
        }

        /** Parses the value of a name; empty if Headgate did not write it. */
        static Optional<RegisteredName> of(String name, String value) {
            Matcher form = VALUE.matcher(value);
            if (!form.matches() || Integer.parseInt(form.group(1)) > JobBounds.MAX_SHARDS) {
                return Optional.empty();
            }
            boolean tenants = !form.group(2).isEmpty();
            return Optional.of(new RegisteredName(name, Integer.parseInt(form.group(1)), tenants));
        }
    }
}
