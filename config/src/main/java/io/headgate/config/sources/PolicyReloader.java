package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.limits.LimitEngine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Applies each new version of the policies of a source to a {@link PolicyRegistry}, as a whole or not at all. Counts continue. While a
 * version is invalid, missing or empty, the last valid one stays in force. Safe for use by any number of threads.
 *
 * <pre>{@code
 * try (LimitEngine limits = InMemoryLimitEngine.create();
 *         PolicyReloader policies = PolicyReloader.start(limits, FilePolicySource.of(Path.of("policies.yaml")))) {
 *     Decision decision = policies.registry().limiter("api").tryAcquire("alice");
 * }
 * }</pre>
 */
public final class PolicyReloader implements AutoCloseable {

    private final PolicySource source;
    private final PolicyListener listener;
    private final PolicyRegistry registry;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile PolicyStatus status;
    private volatile boolean closed;

    private PolicyReloader(PolicySource source, PolicyListener listener, LimitEngine engine) {
        PolicyDocument first = source.read();
        Policies policies = first.policies();
        listener.check(policies);
        this.source = source;
        this.listener = listener;
        this.registry = new PolicyRegistry(engine, policies);
        this.status = new PolicyStatus(source.name(), first.version(), Instant.now(), Optional.empty());
    }

    /**
     * Applies the current version of a source, and from now on each new one.
     *
     * @param engine creates the limiters; the caller closes it, after the reloader
     * @param source the source, which the reloader closes
     * @throws ConfigException if the current version is missing or invalid; then the source is closed
     */
    public static PolicyReloader start(LimitEngine engine, PolicySource source) {
        return start(engine, source, PolicyListener.NONE);
    }

    /**
     * Applies the current version of a source, and from now on each new one.
     *
     * @param engine creates the limiters; the caller closes it, after the reloader
     * @param source the source, which the reloader closes
     * @param listener checks each version, also the first one, and is notified of later ones
     * @throws ConfigException if the current version is missing or invalid; then the source is closed
     * @throws IllegalArgumentException if the listener rejects the current version; then the source is closed
     */
    public static PolicyReloader start(LimitEngine engine, PolicySource source, PolicyListener listener) {
        try {
            PolicyReloader reloader = new PolicyReloader(source, listener, engine);
            source.watch(reloader::reload);
            return reloader;
        } catch (RuntimeException e) {
            source.close();
            throw e;
        }
    }

    /** Returns the policies in force and their limiters. */
    public PolicyRegistry registry() {
        return registry;
    }

    /** Returns the version in force, and the latest one if it was rejected. */
    public PolicyStatus status() {
        return status;
    }

    /** Reads the source now, and applies its version unless it is in force, without waiting for a notification. */
    public PolicyStatus reload() {
        reloading.lock();
        try {
            Optional<String> version = Optional.empty();
            try {
                PolicyDocument document = source.read();
                version = Optional.of(document.version());
                if (!document.version().equals(status.version())) {
                    apply(document);
                } else if (status.rejected().isPresent()) {
                    applied(status.version(), status.since(), List.of());
                }
            } catch (ConfigException | IllegalArgumentException e) {
                reject(version, String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                reject(version, "cannot be applied: " + e);
            }
            return status;
        } finally {
            reloading.unlock();
        }
    }

    private void apply(PolicyDocument document) {
        Policies next = document.policies();
        listener.check(next);
        List<PolicyChange> changes = PolicyChanges.between(registry.policies(), next);
        registry.replace(next);
        applied(document.version(), Instant.now(), changes);
    }

    private void applied(String version, Instant since, List<PolicyChange> changes) {
        PolicyStatus now = new PolicyStatus(source.name(), version, since, Optional.empty());
        status = now;
        listener.applied(now, changes);
    }

    private void reject(Optional<String> version, String reason) {
        Optional<Rejection> before = status.rejected();
        boolean known = before.isPresent()
                && before.get().version().equals(version)
                && before.get().reason().equals(reason);
        // While the reloader is closed, reading the source fails.
        if (known || closed) {
            return;
        }
        Rejection rejection = new Rejection(version, Instant.now(), reason);
        status = new PolicyStatus(status.source(), status.version(), status.since(), Optional.of(rejection));
        listener.rejected(rejection);
    }

    /** Stops to apply new versions, and closes the source. The policies stay in force. */
    @Override
    public void close() {
        closed = true;
        source.close();
    }
}
