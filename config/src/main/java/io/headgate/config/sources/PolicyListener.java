package io.headgate.config.sources;

import io.headgate.config.Policies;
import java.util.List;

/**
 * Checks new versions of policies, and is notified of them. Called by one thread at a time. An exception of a notification is passed to the
 * handler of uncaught exceptions of its thread, and changes nothing.
 */
public interface PolicyListener {

    /** A listener that accepts each version, and does nothing. */
    PolicyListener NONE = new PolicyListener() {};

    /**
     * Checks a version that is valid in itself, before it is applied.
     *
     * @throws IllegalArgumentException to reject it; the message is the reason
     */
    default void check(Policies next) {}

    /**
     * A version is in force. Called also if the source returns to the version in force after a rejected one.
     *
     * @param policies the policies of the version
     * @param changes what differs from the previous version
     */
    default void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {}

    /** A version was rejected. Called once for each rejected version and reason. */
    default void rejected(PolicyStatus.Rejection rejection) {}
}
