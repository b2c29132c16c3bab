package io.headgate.server.serve;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicySource;
import io.headgate.config.sources.PolicyStatus;
import io.headgate.limits.LimitEngine;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The policies of a server, which may change while it runs.
 *
 * @param registry the policies in force and their limiters
 * @param status the version in force; empty if the policies cannot change
 * @param source where they come from; empty if the policies cannot change
 */
record ServedPolicies(PolicyRegistry registry, Supplier<Optional<PolicyStatus>> status, Optional<PolicySource> source) {

    static ServedPolicies fixed(LimitEngine engine, Policies policies) {
        return new ServedPolicies(new PolicyRegistry(engine, policies), Optional::empty, Optional.empty());
    }

    static ServedPolicies of(PolicyReloader reloader, PolicySource source) {
        return new ServedPolicies(reloader.registry(), () -> Optional.of(reloader.status()), Optional.of(source));
    }

    /** The policies in force. */
    Policies current() {
        return registry.policies();
    }

    /** The latest version in one line, if it was rejected. */
    Optional<String> rejected() {
        return status.get().flatMap(PolicyStatus::rejected).map(PolicyStatus.Rejection::toString);
    }
}
