package io.headgate.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the rate of calls of a method of a bean, or of the methods of a class. A call that is denied throws {@link
 * io.headgate.spring.web.LimitExceededException}, unless there is a fallback.
 *
 * <pre>
 * &#64;RateLimited(policy = "sms", by = "user: #order.userId", permits = "#order.lines.size()")
 * void confirm(Order order)
 * </pre>
 *
 * <p>Calls by {@code this}, and of private, static and final methods, are not limited. All members may have placeholders, such as
 * <code>${sms.policy}</code>. They are checked when the application starts.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.All.class)
@Inherited
@Documented
public @interface RateLimited {

    /** The name of a policy of rate limits. */
    String policy();

    /**
     * The value of each dimension of the policy as {@code dimension: expression}. The expression (SpEL) may use the parameters of the
     * method ({@code #order} or {@code #a0}), {@code methodName}, {@code target}, and beans ({@code @plans}).
     */
    String[] by() default {};

    /** An expression for the number of permits that a call needs; with 0 the call is not limited. */
    String permits() default "1";

    /** The longest wait for permits, for example {@code 2s}: up to 366 days. */
    String maxWait() default "0s";

    /** The most calls of the method that wait at the same time, at least 1. A further call is denied at once if it would have to wait. */
    int maxWaiting() default 1000;

    /**
     * The name of a method of the class that answers denied calls. It has the same parameters, and optionally the exception as its last
     * one.
     */
    String fallbackMethod() default "";

    /** Several annotations of one method or class, all of which must admit a call. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @interface All {

        /** The annotations. */
        RateLimited[] value();
    }
}
