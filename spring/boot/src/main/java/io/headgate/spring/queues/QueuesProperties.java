package io.headgate.spring.queues;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code headgate.queues}: the bounds of queues, streams and groups, and the settings of listeners. A property that does
 * not exist fails the start. A queue or stream that is not declared has the defaults.
 *
 * @param listener The settings of all listeners.
 * @param declared The queues by name.
 * @param streams The streams by name.
 */
@ConfigurationProperties("headgate.queues")
public record QueuesProperties(
        @DefaultValue Listener listener,
        @DefaultValue Map<String, Queue> declared,
        @DefaultValue Map<String, Stream> streams) {

    /**
     * The settings of listeners, which members of the annotations replace.
     *
     * @param concurrency How many jobs a listener handles at the same time: 1 to 10000; 10 by default.
     * @param lease How long a job is leased until the lease is renewed: 10ms to 1d; 30s by default, for a group its min-idle.
     * @param attempts How often a job is attempted before it becomes a dead letter: 1 to 255; 10 by default.
     * @param backoff The wait after the first failed attempt, which doubles with each further one: 0 to 3660d; 1s by default.
     * @param longestBackoff The longest wait between two attempts: from backoff to 3660d; 10m by default.
     * @param autoStartup Whether listeners start with the application; true by default.
     */
    public record Listener(
            @Nullable Integer concurrency,
            @Nullable Duration lease,
            @Nullable Integer attempts,
            @Nullable Duration backoff,
            @Nullable Duration longestBackoff,
            @Nullable Boolean autoStartup) {}

    /**
     * The bounds of a queue.
     *
     * @param maxJobs The most waiting and leased jobs: shards to 1000000000; 10000000 by default.
     * @param maxPayloadSize The largest payload: 0 to 256KB; 64KB by default.
     * @param maxCrashes After how many expired leases a job becomes a dead letter: 1 to 100; 5 by default.
     * @param shards The minimum number of shards: 1 to 64; 1 by default.
     * @param keepDone The most done jobs that are kept: 1 to 10000000; 10000000 if keep-done-for is set, otherwise none.
     * @param keepDoneFor How long done jobs are kept: 1ms to 3660d; 3660d if keep-done is set, otherwise not.
     * @param durability What a write waits for.
     * @param listener The settings of listeners of this queue.
     */
    public record Queue(
            @Nullable Long maxJobs,
            @Nullable DataSize maxPayloadSize,
            @Nullable Integer maxCrashes,
            @Nullable Integer shards,
            @Nullable Long keepDone,
            @Nullable Duration keepDoneFor,
            @Nullable Durability durability,
            @DefaultValue Listener listener) {}

    /**
     * The bounds of a stream.
     *
     * @param maxLength The most entries: 1 to 1000000000; 1000000 by default.
     * @param maxPayloadSize The largest payload: 0 to 256KB; 64KB by default.
     * @param durability What a call that produces entries waits for.
     * @param groups The consumer groups by name.
     * @param listener The settings of listeners of this stream.
     */
    public record Stream(
            @Nullable Long maxLength,
            @Nullable DataSize maxPayloadSize,
            @Nullable Durability durability,
            @DefaultValue Map<String, Group> groups,
            @DefaultValue Listener listener) {}

    /**
     * The bounds of a consumer group.
     *
     * @param start Where the group starts when its first claim creates it.
     * @param minIdle The minimum idle time, which is the longest lease: 10ms to 1d; 1m by default.
     * @param maxCrashes After how many expired leases an entry becomes a dead letter: 1 to 100; 5 by default.
     * @param keepDoneFor How long the keys of done entries are kept: 1s to 30d; none by default.
     * @param durability What a call that settles entries waits for.
     */
    public record Group(
            @DefaultValue("beginning") Start start,
            @Nullable Duration minIdle,
            @Nullable Integer maxCrashes,
            @Nullable Duration keepDoneFor,
            @Nullable Durability durability) {}

    /** Where a group starts when it is created. */
    public enum Start {

        /** With the oldest entry of the stream. */
        BEGINNING,

        /** With entries that are produced after the group was created. */
        NOW
    }

    /**
     * What a write waits for.
     *
     * @param confirmedBy What confirms a write; required.
     * @param replicas The number of replicas: 1 to 100 for replicas, 0 to 100 for append-only-file.
     * @param timeout How long a write waits: 1ms to 1m.
     */
    public record Durability(
            @Nullable ConfirmedBy confirmedBy,
            @Nullable Integer replicas,
            @DefaultValue("1s") Duration timeout) {}

    /** What confirms a write. */
    public enum ConfirmedBy {

        /** Replicas have it in memory. */
        REPLICAS,

        /** The server, and replicas if there are any, have it on disk in append-only files. */
        APPEND_ONLY_FILE
    }
}
