package io.headgate.testkit.conditions;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks a test whose outcome depends on the version of Redis: access rights, replication and durability, redirects of a
 * Cluster, memory encodings, the bytes and expiries of stored state, and counts of commands. The annotation adds the tag
 * {@value #TAG}, by which a build selects the tests to run again on another server. jqwik ignores this annotation, so its properties
 * have the tag itself.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag(ServerVersionSensitive.TAG)
public @interface ServerVersionSensitive {

    /** The tag of tests that run on each version of the server. */
    String TAG = "server-version";
}
