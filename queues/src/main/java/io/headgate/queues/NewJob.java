package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A job that is to be enqueued. Immutable.
 *
 * <pre>{@code
 * mails.enqueue(NewJob.of("remember the bill").after(Duration.ofDays(3)).once("bill-4711"));
 * }</pre>
 *
 * @param payload what the job is about
 * @param due when it may be handed out
 * @param priority which of two due jobs goes first
 * @param key what makes it the same job as another, if anything does
 * @param headers what else is to be known of it
 * @param group its grouping key, if it has one: jobs of one group are in one shard
 * @param <T> what a payload is
 */
public record NewJob<T>(
        T payload,
        Due due,
        Priority priority,
        Optional<JobKey> key,
        Map<String, String> headers,
        Optional<String> group) {

    /** Checks the headers and the group. */
    public NewJob {
        headers = JobBounds.headers(headers);
        group.ifPresent(name -> JobBounds.group(name, key.map(JobKey::value)));
    }

    /** A job without a grouping key. */
    public NewJob(T payload, Due due, Priority priority, Optional<JobKey> key, Map<String, String> headers) {
        this(payload, due, priority, key, headers, Optional.empty());
    }

    /** When a job may be handed out. */
    public sealed interface Due {}

    /**
     * So long after it was enqueued, by Redis's clock.
     *
     * @param delay 0 to 3660 days
     */
    public record After(Duration delay) implements Due {

        /** Checks the range. */
        public After {
            JobBounds.delay(delay);
        }
    }

    /**
     * From an instant on, by Redis's clock.
     *
     * @param instant before the year 2200; one that has passed is due at once
     */
    public record At(Instant instant) implements Due {

        /** Checks the range. */
        public At {
            JobBounds.due(instant);
        }
    }

    /**
     * What makes two jobs the same.
     *
     * @param value 1 to 255 bytes as UTF-8
     * @param replaces whether the new job takes the place of one that still waits, instead of being left out itself
     */
    public record JobKey(String value, boolean replaces) {

        /** Checks the length. */
        public JobKey {
            JobBounds.key(value);
        }
    }

    /** A job that is due at once. */
    public static <T> NewJob<T> of(T payload) {
        return new NewJob<>(payload, new After(Duration.ZERO), Priority.NORMAL, Optional.empty(), Map.of());
    }

    /** The same, due after so long: 0 to 3660 days. */
    public NewJob<T> after(Duration delay) {
        return new NewJob<>(payload, new After(delay), priority, key, headers, group);
    }

    /** The same, due from that instant on, which is before the year 2200; one that has passed is due at once. */
    public NewJob<T> at(Instant instant) {
        return new NewJob<>(payload, new At(instant), priority, key, headers, group);
    }

    /** The same, of that priority. */
    public NewJob<T> priority(Priority level) {
        return new NewJob<>(payload, due, level, key, headers, group);
    }

    /**
     * The same, enqueued only when there is no other job of this key: none that waits or is in hand, or is done and {@linkplain
     * KeepDone kept}.
     *
     * @param jobKey 1 to 255 bytes as UTF-8
     */
    public NewJob<T> once(String jobKey) {
        return new NewJob<>(payload, due, priority, Optional.of(new JobKey(jobKey, false)), headers, group);
    }

    /**
     * The same, taking the place of the job of this key that waits; beside one that is in hand it waits.
     *
     * @param jobKey 1 to 255 bytes as UTF-8
     */
    public NewJob<T> replacing(String jobKey) {
        return new NewJob<>(payload, due, priority, Optional.of(new JobKey(jobKey, true)), headers, group);
    }

    /**
     * The same, in a group, such as that of a tenant or an order. The grouping key selects the shard, so {@link JobQueue#enqueueAll}
     * enqueues jobs of one group all or none on every number of shards. It is not part of the job that is handed out.
     *
     * <p>The key of a job in a group ({@link #once}, {@link #replacing}) is unique within the group: the same key in another group,
     * or in none, is another key.
     *
     * @param name 1 to 255 bytes as UTF-8; together with the job's key at most 254
     */
    public NewJob<T> group(String name) {
        return new NewJob<>(payload, due, priority, key, headers, Optional.of(name));
    }

    /** The same, with one more header. */
    public NewJob<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new NewJob<>(payload, due, priority, key, more, group);
    }
}
