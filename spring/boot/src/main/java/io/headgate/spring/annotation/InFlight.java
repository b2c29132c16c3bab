package io.headgate.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many calls of a method of a bean, or of the methods of a class, run at the same time. A call holds its permits until the
 * method returns, or until the stage or publisher that it returns ends or is cancelled. A call that is denied throws {@link
 * io.headgate.spring.web.InFlightExceededException}, unless there is a fallback.
 *
 * <p>Calls by {@code this}, and of private, static and final methods, are not limited. All members may have placeholders, such as
 * <code>${exports.policy}</code>. They are checked when the application starts.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(InFlight.All.class)
@Inherited
@Documented
public @interface InFlight {

    /** The name of an in-flight policy. */
    String policy();

    /** The value of each dimension of the policy; see {@link RateLimited#by()}. */
    String[] by() default {};

    /** An expression for the number of permits that a call holds, up to 100; with 0 the call is not limited. */
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
        InFlight[] value();
    }
}
