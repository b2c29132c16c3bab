package io.headgate.testkit.conditions;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Skips a test, or all tests of a class, where the {@link Requirement} is not met; JUnit reports its
 * {@linkplain Requirement#reason() reason}.
 *
 * <p>The annotation adds the tag {@value #TAG}. The class of the test must have a line in {@code .ci/skipped-tests.txt}: the build
 * fails if a test of another class is skipped.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag(Requires.TAG)
@ExtendWith(RequirementCondition.class)
public @interface Requires {

    /** The tag of tests that a machine without the required program skips. */
    String TAG = "requirement";

    /** What the test needs. */
    Requirement value();
}
