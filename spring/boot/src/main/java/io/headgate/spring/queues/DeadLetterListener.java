package io.headgate.spring.queues;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that handles the dead letters of a queue or of a consumer group. When the method returns, or the stage or
 * publisher that it returns completes, the dead letter is discarded. If it fails with an exception, the dead letter stays, and the
 * method is called again later, without a limit of attempts.
 *
 * <pre>{@code
 * @DeadLetterListener(queue = "mails")
 * void undelivered(DeadLetter<String> mail, DeadLetterAcknowledgement acknowledgement) {
 *     alert(mail.job().id(), mail.job().causes());
 *     acknowledgement.keep();
 * }
 * }</pre>
 *
 * <p>Each dead letter is delivered to one instance, at least once. This includes dead letters from before the listener existed, and those
 * of processes that died. So make the method idempotent. The lease of the dead letter is renewed while the method runs. A dead letter
 * that kills its process five times is kept.
 *
 * <p>Parameters are those of a {@link QueueListener}, with {@link io.headgate.queues.DeadLetter} and {@link DeadLetterAcknowledgement}
 * instead of {@link Acknowledgement}. A payload that cannot be converted counts as a failure of the method; {@code byte[]} and {@code
 * String} are always possible. All members may have placeholders. An empty member has the value of {@code headgate.queues}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DeadLetterListener {

    /** The name of the queue; empty for the dead letters of a group. */
    String queue() default "";

    /** The name of the stream; empty for the dead letters of a queue. */
    String stream() default "";

    /** The name of the consumer group of the stream. */
    String group() default "";

    /** The id of the listener for {@link QueueListeners}; by default, the names of the bean and the method with a dot between them. */
    String id() default "";

    /** How many dead letters are handled at the same time: 1 to 10 000; 10 by default. */
    String concurrency() default "";

    /** How long a dead letter is leased until the lease is renewed: 10 ms to 1 day; 30 seconds by default. */
    String lease() default "";

    /** The wait after the first failure, which doubles with each further one: 0 to 3660 days; 1 second by default. */
    String backoff() default "";

    /** The longest wait between two calls: from {@link #backoff()} to 3660 days; 10 minutes by default. */
    String longestBackoff() default "";

    /** Whether the listener starts with the application; true by default. */
    String autoStartup() default "";
}
