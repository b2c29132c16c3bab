package io.headgate.spring.queues;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a listener that is a header of the job. A type other than {@code String} is converted by Spring Boot's conversion
 * service.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface JobHeader {

    /** The name of the header. */
    String value();

    /** Whether a job without the header becomes a dead letter; otherwise the argument is null, or an empty {@code Optional}. */
    boolean required() default true;
}
