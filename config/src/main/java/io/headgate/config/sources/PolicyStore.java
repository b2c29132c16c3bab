package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import java.util.List;
import java.util.Optional;

/**
 * A source of policies that can be written, such as Redis. It keeps previous versions. Safe for use by any number of threads; calls block.
 */
public interface PolicyStore extends PolicySource {

    /**
     * Writes a version, and reads it back. Every process that watches the store applies it, usually within a second. The store does not
     * check the policies: callers do so before.
     *
     * @throws IllegalArgumentException if a value of the update is not allowed
     * @throws ConfigException if the store does not reply; the message says whether the version may have been written
     */
    PolicyUpdate.Result apply(PolicyUpdate update);

    /**
     * Returns a version that the store has kept.
     *
     * @param version the version, or its number
     * @return empty if there was none, or it is no longer kept
     * @throws IllegalArgumentException if the version has another form
     * @throws ConfigException if the store does not reply
     */
    Optional<PolicyDocument> find(String version);

    /**
     * Returns the last versions, the current one first; none if nothing was ever written.
     *
     * @param max 1 to 100
     * @throws ConfigException if the store does not reply
     */
    List<PolicyVersion> history(int max);

    /**
     * Returns the processes that watch the store, by name, up to 10 000. One that was killed is included for up to 20 seconds.
     *
     * @throws ConfigException if the store does not reply
     */
    List<PolicyInstance> instances();
}
