package io.headgate.spring.queues;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that handles the jobs of a queue. A job is done when the method returns, or when the stage or publisher that
 * it returns completes. An exception fails the attempt: the job is retried, and becomes a dead letter after the last attempt.
 *
 * <pre>{@code
 * @QueueListener(queue = "mails", concurrency = "20")
 * void send(@Valid Mail mail, @JobHeader("tenant") String tenant) {
 *     ...
 * }
 * }</pre>
 *
 * <p>A job is delivered at least once, so make listeners idempotent. Its lease is renewed while the method runs.
 *
 * <p>A parameter is the payload, a header ({@link JobHeader}), the {@link io.headgate.queues.Job}, its {@link io.headgate.queues.JobId},
 * or an {@link Acknowledgement}. All members may have placeholders such as {@code ${mails.queue}}. An empty member has the value of
 * {@code headgate.queues}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface QueueListener {

    /** The name of the queue. */
    String queue();

    /** The id of the listener for {@link QueueListeners}; by default, the names of the bean and the method with a dot between them. */
    String id() default "";

    /** How many calls of the method run at the same time: 1 to 10 000; 10 by default. */
    String concurrency() default "";

    /** How long a job is leased until the lease is renewed: 10 ms to 1 day; 30 seconds by default. */
    String lease() default "";

    /** How often a job is attempted before it becomes a dead letter: 1 to 255; 10 by default. */
    String attempts() default "";

    /** The wait after the first failed attempt, which doubles with each further one: 0 to 3660 days; 1 second by default. */
    String backoff() default "";

    /** The longest wait between two attempts: from {@link #backoff()} to 3660 days; 10 minutes by default. */
    String longestBackoff() default "";

    /**
     * How many jobs a call of the method receives at most: 1 to 500, and with {@link #concurrency()} calls at most 10 000. The only
     * parameter is a {@code List} of payloads, of {@link io.headgate.queues.Job} or of {@link BatchJob}. By default, a call has one job.
     */
    String batch() default "";

    /** How long a batch that is not full waits for more jobs, from its first one: 0 to 1 minute; 100 ms by default. */
    String batchWait() default "";

    /** Whether the listener starts with the application; true by default. */
    String autoStartup() default "";

    /** Exceptions, with their subclasses, that make a job a dead letter without another attempt. */
    Class<? extends Throwable>[] deadLetterOn() default {};

    /** Exceptions, with their subclasses, after which the job waits as for a retry, but the attempt does not count. */
    Class<? extends Throwable>[] parkOn() default {};
}
