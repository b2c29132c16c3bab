package io.headgate.spring.queues;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that handles the entries of a stream, as a consumer of a group. Every group receives every entry. It is as
 * {@link QueueListener}, where a job is an entry: with the same parameters, retries and dead letters.
 *
 * <pre>{@code
 * @StreamListener(stream = "orders", group = "billing")
 * void bill(Order order) {
 *     ...
 * }
 * }</pre>
 *
 * <p>All members may have placeholders. An empty member has the value of {@code headgate.queues}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface StreamListener {

    /** The name of the stream. */
    String stream();

    /** The name of the consumer group. The first claim creates it. */
    String group();

    /** The id of the listener for {@link QueueListeners}; by default, the names of the bean and the method with a dot between them. */
    String id() default "";

    /** How many calls of the method run at the same time: 1 to 10 000; 10 by default. */
    String concurrency() default "";

    /** How long an entry is leased until the lease is renewed: 10 ms to the minimum idle time of the group, which is the default. */
    String lease() default "";

    /** How often an entry is attempted before it becomes a dead letter: 1 to 255; 10 by default. */
    String attempts() default "";

    /** The wait after the first failed attempt, which doubles with each further one: 0 to 3660 days; 1 second by default. */
    String backoff() default "";

    /** The longest wait between two attempts: from {@link #backoff()} to 3660 days; 10 minutes by default. */
    String longestBackoff() default "";

    /**
     * How many entries a call of the method receives at most: 1 to 500, and with {@link #concurrency()} calls at most 10 000. The only
     * parameter is a {@code List} of payloads, of {@link io.headgate.queues.Job} or of {@link BatchJob}. By default, a call has one entry.
     */
    String batch() default "";

    /** How long a batch that is not full waits for more entries, from its first one: 0 to 1 minute; 100 ms by default. */
    String batchWait() default "";

    /** Whether the listener starts with the application; true by default. */
    String autoStartup() default "";

    /** Exceptions, with their subclasses, that make an entry a dead letter without another attempt. */
    Class<? extends Throwable>[] deadLetterOn() default {};

    /** Exceptions, with their subclasses, after which the entry waits as for a retry, but the attempt does not count. */
    Class<? extends Throwable>[] parkOn() default {};
}
