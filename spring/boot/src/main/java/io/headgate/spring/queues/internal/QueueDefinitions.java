package io.headgate.spring.queues.internal;

import io.headgate.config.ConfigException;
import io.headgate.queues.Durability;
import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.queues.QueuesProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** The settings of queues, streams and groups that the properties declare. Those of others are the defaults. Immutable. */
final class QueueDefinitions {

    private static final String PREFIX = "headgate.queues.";
    private static final Duration LONGEST_KEPT = Duration.ofDays(3660);
    private static final long MOST_KEPT = 10_000_000;

    private final QueuesProperties properties;
    private final Map<String, QueueSettings> queues = new HashMap<>();
    private final Map<String, StreamSettings> streams = new HashMap<>();
    private final Map<String, Map<String, GroupSettings>> groups = new HashMap<>();

    /**
     * Checks the properties.
     *
     * @throws ConfigException if settings are wrong
     */
    QueueDefinitions(QueuesProperties properties) {
        this.properties = properties;
        Problems problems = new Problems();
        properties.declared().forEach((name, queue) -> {
            String where = PREFIX + "declared." + name;
            problems.checked(where, () -> Optional.of(QueueSettings.of(name)), Optional.<QueueSettings>empty())
                    .ifPresent(defaults -> queues.put(name, queue(where, defaults, queue, problems)));
        });
        properties.streams().forEach((name, stream) -> {
            String where = PREFIX + "streams." + name;
            problems.checked(where, () -> Optional.of(StreamSettings.of(name)), Optional.<StreamSettings>empty())
                    .ifPresent(defaults -> streams.put(name, stream(where, defaults, stream, problems)));
            Map<String, GroupSettings> ofStream = new HashMap<>();
            stream.groups().forEach((group, given) -> {
                String path = where + ".groups." + group;
                problems.checked(path, () -> Optional.of(GroupSettings.of(group)), Optional.<GroupSettings>empty())
                        .ifPresent(defaults -> ofStream.put(group, group(path, defaults, given, problems)));
            });
            groups.put(name, ofStream);
        });
        problems.failIfAny();
    }

    private static QueueSettings queue(
            String where, QueueSettings defaults, QueuesProperties.Queue given, Problems problems) {
        Setter<QueueSettings> setter = new Setter<>(where, defaults, problems);
        // Before the number of jobs, of which each shard needs one.
        setter.set("shards", given.shards(), (all, value) -> all.withShards(value));
        setter.set("max-jobs", given.maxJobs(), (all, value) -> all.withMaxJobs(value));
        setter.set("max-payload-size", given.maxPayloadSize(), (all, value) -> all.withMaxPayloadBytes(bytes(value)));
        setter.set("max-crashes", given.maxCrashes(), (all, value) -> all.withMaxCrashes(value));
        setter.set("durability", given.durability(), (all, value) -> all.withDurability(durability(value)));
        Long most = given.keepDone();
        Duration time = given.keepDoneFor();
        if (most != null || time != null) {
            setter.set(
                    time == null ? "keep-done" : "keep-done-for",
                    new KeptDone(most == null ? MOST_KEPT : most, time == null ? LONGEST_KEPT : time),
                    (all, value) -> all.withKeepDone(new KeepDone(value.max(), value.time())));
        }
        return setter.settings;
    }

    /** How many done jobs are kept and how long, before the check of the ranges. */
    private record KeptDone(long max, Duration time) {}

    private static StreamSettings stream(
            String where, StreamSettings defaults, QueuesProperties.Stream given, Problems problems) {
        Setter<StreamSettings> setter = new Setter<>(where, defaults, problems);
        setter.set("max-length", given.maxLength(), (all, value) -> all.withMaxLength(value));
        setter.set("max-payload-size", given.maxPayloadSize(), (all, value) -> all.withMaxPayloadBytes(bytes(value)));
        setter.set("durability", given.durability(), (all, value) -> all.withDurability(durability(value)));
        return setter.settings;
    }

    private static GroupSettings group(
            String where, GroupSettings defaults, QueuesProperties.Group given, Problems problems) {
        Setter<GroupSettings> setter = new Setter<>(where, defaults, problems);
        setter.set("start", given.start(), (all, value) -> value == QueuesProperties.Start.NOW ? all.fromNow() : all);
        setter.set("min-idle", given.minIdle(), (all, value) -> all.withMinIdle(value));
        setter.set("max-crashes", given.maxCrashes(), (all, value) -> all.withMaxCrashes(value));
        setter.set("keep-done-for", given.keepDoneFor(), (all, value) -> all.withKeepDone(value));
        setter.set("durability", given.durability(), (all, value) -> all.withDurability(durability(value)));
        return setter.settings;
    }

    private static int bytes(DataSize size) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
    }

    private static Durability durability(QueuesProperties.Durability given) {
        Integer replicas = given.replicas();
        QueuesProperties.ConfirmedBy confirmedBy = given.confirmedBy();
        if (confirmedBy == null) {
            throw new IllegalArgumentException("needs confirmed-by: replicas or append-only-file");
        }
        return switch (confirmedBy) {
            case REPLICAS -> Durability.replicas(replicas == null ? 1 : replicas, given.timeout());
            case APPEND_ONLY_FILE -> Durability.appendOnlyFile(true, replicas == null ? 0 : replicas, given.timeout());
        };
    }

    /** Replaces settings one after the other, and adds a problem for each one that is out of range. */
    private static final class Setter<S> {

        private final String where;
        private final Problems problems;
        private S settings;

        Setter(String where, S defaults, Problems problems) {
            this.where = where;
            this.settings = defaults;
            this.problems = problems;
        }

        <V> void set(String name, @Nullable V value, BiFunction<S, V, S> with) {
            if (value != null) {
                settings = problems.checked(where + "." + name, () -> with.apply(settings, value), settings);
            }
        }
    }

    /**
     * Returns the settings of a queue.
     *
     * @throws IllegalArgumentException if the name is not allowed
     */
    QueueSettings queue(String name) {
        return declared(queues.get(name), () -> QueueSettings.of(name));
    }

    /**
     * Returns the settings of a stream.
     *
     * @throws IllegalArgumentException if the name is not allowed
     */
    StreamSettings stream(String name) {
        return declared(streams.get(name), () -> StreamSettings.of(name));
    }

    /**
     * Returns the settings of a group.
     *
     * @throws IllegalArgumentException if the name is not allowed
     */
    GroupSettings group(String stream, String name) {
        return declared(groups.getOrDefault(stream, Map.of()).get(name), () -> GroupSettings.of(name));
    }

    private static <T> T declared(@Nullable T given, Supplier<T> defaults) {
        return given == null ? defaults.get() : given;
    }

    /** Returns the settings for listeners of a queue, the most specific first. */
    List<QueuesProperties.Listener> listenersOfQueue(String name) {
        return Stream.concat(
                        Stream.ofNullable(properties.declared().get(name)).map(QueuesProperties.Queue::listener),
                        Stream.of(properties.listener()))
                .toList();
    }

    /** Returns the settings for listeners of a stream, the most specific first. */
    List<QueuesProperties.Listener> listenersOfStream(String name) {
        return Stream.concat(
                        Stream.ofNullable(properties.streams().get(name)).map(QueuesProperties.Stream::listener),
                        Stream.of(properties.listener()))
                .toList();
    }
}
