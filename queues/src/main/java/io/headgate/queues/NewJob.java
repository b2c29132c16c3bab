package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A job to enqueue: a payload, and optionally a due time, a priority, a key, headers, a group and a tenant. Immutable. Each method
 * returns a copy with one property changed.
 *
 * <pre>{@code
 * mails.enqueue(NewJob.of("remember the bill").after(Duration.ofDays(3)).once("bill-4711"));
 * }</pre>
 *
 * @param payload the payload, which the queue's codec encodes
 * @param due when the job is due
 * @param priority which of two due jobs is delivered first
 * @param key the key for {@linkplain #once deduplication} or {@linkplain #replacing replacement}, if any
 * @param headers metadata for the handler: up to 64 headers, 16 KiB of names and values in all; no name is empty
 * @param group the {@linkplain #group grouping key}, if any
 * @param tenant the {@linkplain #tenant tenant}, if any
 * @param <T> the type of the payload
 */
public record NewJob<T>(
        T payload,
        Due due,
        Priority priority,
        Optional<JobKey> key,
        Map<String, String> headers,
        Optional<String> group,
        Optional<String> tenant) {

    /** Checks the headers, the group and the tenant. */
    public NewJob {
        headers = JobBounds.headers(headers);
        group.ifPresent(name -> JobBounds.group(name, key.map(JobKey::value)));
        tenant.ifPresent(name -> JobBounds.tenant(name, group, key.map(JobKey::value)));
    }

    /** Creates a job without a grouping key and without a tenant. */
    public NewJob(T payload, Due due, Priority priority, Optional<JobKey> key, Map<String, String> headers) {
        this(payload, due, priority, key, headers, Optional.empty(), Optional.empty());
    }

    /** When a job is due. */
    public sealed interface Due {}

    /**
     * Due after a delay from the enqueue call, by Redis's clock.
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
     * Due at an instant, by Redis's clock.
     *
     * @param instant from 1970 to the end of 2199; a time in the past means that the job is due immediately
     */
    public record At(Instant instant) implements Due {

        /** Checks the range. */
        public At {
            JobBounds.due(instant);
        }
    }

    /**
     * The key of a job, which decides whether two jobs are duplicates.
     *
     * @param value 1 to 255 bytes of UTF-8
     * @param replaces true if the new job replaces the waiting job of this key; false if the new job is rejected
     */
    public record JobKey(String value, boolean replaces) {

        /** Checks the length. */
        public JobKey {
            JobBounds.key(value);
        }
    }

    /** Creates a job that is due immediately, with {@link Priority#NORMAL} and without key, headers, group and tenant. */
    public static <T> NewJob<T> of(T payload) {
        return new NewJob<>(payload, new After(Duration.ZERO), Priority.NORMAL, Optional.empty(), Map.of());
    }

    /** Sets a delay: 0 to 3660 days, from the enqueue call on. */
    public NewJob<T> after(Duration delay) {
        return new NewJob<>(payload, new After(delay), priority, key, headers, group, tenant);
    }

    /** Sets the due time: from 1970 to the end of 2199. A time in the past means that the job is due immediately. */
    public NewJob<T> at(Instant instant) {
        return new NewJob<>(payload, new At(instant), priority, key, headers, group, tenant);
    }

    /** Sets the priority. */
    public NewJob<T> priority(Priority level) {
        return new NewJob<>(payload, due, level, key, headers, group, tenant);
    }

    /**
     * Sets a key for deduplication. The queue rejects the job if it has another job of this key that is waiting, leased, or
     * done and {@linkplain KeepDone kept}. The outcome is then {@link Enqueued.Outcome#SAME}.
     *
     * @param jobKey 1 to 255 bytes of UTF-8
     */
    public NewJob<T> once(String jobKey) {
        return new NewJob<>(payload, due, priority, Optional.of(new JobKey(jobKey, false)), headers, group, tenant);
    }

    /**
     * Sets a key for replacement. The job replaces the waiting job of this key. If the job of this key is leased, the new job
     * waits beside it.
     *
     * @param jobKey 1 to 255 bytes of UTF-8
     */
    public NewJob<T> replacing(String jobKey) {
        return new NewJob<>(payload, due, priority, Optional.of(new JobKey(jobKey, true)), headers, group, tenant);
    }

    /**
     * Sets a grouping key, such as an order id. All jobs of a group are stored in the same shard. So {@link
     * JobQueue#enqueueAll} enqueues the jobs of a group all or none, on any number of shards. The handler does not receive the
     * grouping key.
     *
     * <p>The key of a job in a group ({@link #once}, {@link #replacing}) is unique within the group. The same key in another
     * group, or without a group, is another key.
     *
     * @param name 1 to 255 bytes of UTF-8; if the job has a key, group and key together have at most 254
     */
    public NewJob<T> group(String name) {
        return new NewJob<>(payload, due, priority, key, headers, Optional.of(name), tenant);
    }

    /**
     * Sets a tenant, such as a customer. Claims take due jobs of one priority from all tenants in turn, so a tenant with many jobs does
     * not delay the jobs of others. All jobs without a tenant are treated as the jobs of one more tenant. A job keeps its tenant when
     * it is retried, and as a dead letter.
     *
     * <p>The key of a job with a tenant ({@link #once}, {@link #replacing}) is unique within the tenant.
     *
     * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; if the job has a key, tenant, grouping key and key
     *     have at most 253 bytes together
     */
    public NewJob<T> tenant(String name) {
        return new NewJob<>(payload, due, priority, key, headers, group, Optional.of(name));
    }

    /** Adds a header, or replaces the value of an existing one. */
    public NewJob<T> header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new NewJob<>(payload, due, priority, key, more, group, tenant);
    }
}
