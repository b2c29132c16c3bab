package io.headgate.spring.internal;

import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicyStatus;
import java.util.Optional;

/**
 * The policies that apply now; they may change while the application runs.
 *
 * @param registry the policies and their limiters
 * @param reloader applies new versions; empty if there is no source whose policies may change
 */
public record ActivePolicies(PolicyRegistry registry, Optional<PolicyReloader> reloader) implements AutoCloseable {

    /** Returns the version in force; empty if the policies do not change. */
    public Optional<PolicyStatus> status() {
        return reloader.map(PolicyReloader::status);
    }

    @Override
    public void close() {
        reloader.ifPresent(PolicyReloader::close);
    }
}
