package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import java.util.List;
import java.util.Optional;

/**
 * A source of policies that can be written, such as Redis, etcd or Consul. It keeps previous versions. Safe for use by any number of threads; calls
 * block.
 */
public interface PolicyStore extends PolicySource {

    /** What stands for the shadow version in {@link #find}. */
    String SHADOW = "shadow";

    /** Returns the store behind a source, with or without a local copy; empty for a source that only its owner changes, such as a file. */
    static Optional<PolicyStore> of(PolicySource source) {
        PolicySource original = source instanceof CopiedPolicySource copied ? copied.source() : source;
        return original instanceof PolicyStore store ? Optional.of(store) : Optional.empty();
    }

    /**
     * Writes a version, and reads it back. Every process that watches the store applies it, usually within a second. If it has the texts of
     * the shadow version, that one is discarded. An update {@linkplain PolicyUpdate#inShadow() in shadow} replaces the shadow version
     * instead, which processes evaluate and do not apply. The store does not check the policies: callers do so before.
     *
     * @throws ConfigException if the store does not reply; the message says whether the version may have been written
     */
    PolicyUpdate.Result apply(PolicyUpdate update);

    /**
     * Returns a version that the store has kept.
     *
     * @param version the version, or its number; {@value #SHADOW} for the shadow version
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
     * Returns the shadow version; empty if there is none.
     *
     * @throws ConfigException if the store does not reply
     */
    Optional<PolicyVersion> shadowVersion();

    /**
     * Discards the shadow version, so that processes no longer evaluate it.
     *
     * @param version the expected shadow version
     * @return false if it is not this version, and nothing was changed
     * @throws ConfigException if the store does not reply
     */
    boolean discardShadow(String version);

    /**
     * Returns the processes that watch the store, by name, up to 10 000, without their {@linkplain #previews previews}. One that was killed is
     * included for up to 20 seconds.
     *
     * @throws ConfigException if the store does not reply
     */
    List<PolicyInstance> instances();

    /**
     * Returns the same processes with what they have found about the shadow version. Previews of more than 8 MiB together are not read;
     * processes whose previews are not read have none.
     *
     * @throws ConfigException if the store does not reply
     */
    List<PolicyInstance> previews();
}
