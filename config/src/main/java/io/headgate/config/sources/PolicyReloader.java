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
 * version is invalid, missing or empty, the last valid one stays in force. While the source has a shadow version, the reloader decides copies
 * of the requests by it, and reports how the decisions differ. Safe for use by any number of threads.
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
    private final Policies fixed;
    private final PolicyListener listener;
    private final PolicyRegistry registry;
    private final ShadowReloader shadow;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile PolicyStatus status;
    private volatile boolean closed;

    // Guarded by the lock, as are changes of the status.

    /** When the version in force was written. */
    private Optional<Instant> writtenAt;

    /** The latest version that was rejected because it is older; empty if none was. */
    private String older = "";

    private PolicyReloader(
            LimitEngine engine, PolicySource source, PolicyDocument first, Policies fixed, PolicyListener listener) {
        Policies policies = fixed.with(first.policies());
        listener.check(policies);
        this.source = source;
        this.fixed = fixed;
        this.listener = listener;
        this.registry = new PolicyRegistry(engine, policies);
        this.status = PolicyStatus.first(source.name(), first.version());
        this.shadow = new ShadowReloader(engine, source, this::checkedShadow, this::reportPreview, () -> closed);
        this.writtenAt = first.writtenAt();
    }

    /**
     * Applies the current version of a source, and from now on each new one.
     *
     * @param engine creates the limiters; the caller closes it, after the reloader
     * @param source the source, which the reloader closes
     * @throws ConfigException if the current version is missing or invalid; then the source is closed
     */
    public static PolicyReloader start(LimitEngine engine, PolicySource source) {
        PolicyDocument first;
        try {
            first = source.read();
        } catch (RuntimeException e) {
            source.close();
            throw e;
        }
        return start(engine, source, first, Policies.of(List.of()), PolicyListener.NONE);
    }

    /**
     * Applies a version of a source that was read before, and from now on each new one.
     *
     * @param engine creates the limiters; the caller closes it, after the reloader
     * @param source the source, which the reloader closes
     * @param first the version of the source to start with
     * @param fixed further policies, which do not change; a version that has one of their names is rejected
     * @param listener checks each version, also the first one, and is notified of later ones
     * @throws ConfigException if the first version is invalid; then the source is closed
     * @throws IllegalArgumentException if the listener rejects the first version, or it has the name of a fixed policy; then the source
     *     is closed
     */
    public static PolicyReloader start(
            LimitEngine engine, PolicySource source, PolicyDocument first, Policies fixed, PolicyListener listener) {
        boolean started = false;
        try {
            PolicyReloader reloader = new PolicyReloader(engine, source, first, fixed, listener);
            source.report(reloader.status);
            source.watch(reloader::reload);
            started = true;
            return reloader;
        } finally {
            if (!started) {
                source.close();
            }
        }
    }

    /** Returns the policies in force and their limiters. */
    public PolicyRegistry registry() {
        return registry;
    }

    /** Returns the version in force, the latest one if it was rejected, and what was found about a shadow version. */
    public PolicyStatus status() {
        return status.withPreview(shadow.preview());
    }

    /**
     * Reads the source now, and applies its version unless it is in force, without waiting for a notification. Does nothing if the reloader
     * is closed.
     */
    public PolicyStatus reload() {
        reloading.lock();
        try {
            if (!closed) {
                notify(readAndApply());
                if (canRead()) {
                    notify(() -> shadow.follow(status.version(), registry.policies()));
                }
                notify(() -> source.report(status()));
            }
            return status();
        } finally {
            reloading.unlock();
        }
    }

    /** Whether the source has just returned a version, so that reading another one does not wait for a source that does not reply. */
    private boolean canRead() {
        return status.rejected()
                .map(rejection -> rejection.version().isPresent())
                .orElse(true);
    }

    /** Returns the policies of a shadow version without the fixed ones, if they could be in force. */
    private Policies checkedShadow(Policies next) {
        listener.check(fixed.with(next));
        return next;
    }

    /** Reports the counts of the shadow version, unless a version is being applied, which reports them, too. */
    private void reportPreview() {
        if (reloading.tryLock()) {
            try {
                if (!closed) {
                    notify(() -> source.report(status()));
                }
            } finally {
                reloading.unlock();
            }
        }
    }

    /** Returns the notification of the listener. */
    private Runnable readAndApply() {
        Optional<String> version = Optional.empty();
        try {
            PolicyDocument document = source.read();
            version = Optional.of(document.version());
            return document.version().equals(status.version()) ? returned() : applied(document);
        } catch (ConfigException | IllegalArgumentException e) {
            return rejected(version, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            return rejected(version, "cannot be applied: " + e);
        }
    }

    private Runnable applied(PolicyDocument document) {
        requireNewer(document);
        Policies next = fixed.with(document.policies());
        listener.check(next);
        List<PolicyChange> changes = PolicyChanges.between(registry.policies(), next);
        registry.replace(next);
        PolicyStatus now = status.withApplied(document.version());
        status = now;
        writtenAt = document.writtenAt();
        older = "";
        return () -> listener.applied(now, next, changes);
    }

    /**
     * Checks that the source has not lost the version in force, for example because a replica of it was promoted. After such a loss,
     * another version is a new one, even if it seems to be older because the clock of the source has gone back.
     */
    private void requireNewer(PolicyDocument document) {
        boolean isOlder = writtenAt
                .flatMap(inForce -> document.writtenAt().map(written -> written.isBefore(inForce)))
                .orElse(false);
        if (isOlder && (older.isEmpty() || older.equals(document.version()))) {
            older = document.version();
            throw new IllegalArgumentException("is older than version " + status.version()
                    + ", which is in force, and which the source has lost; apply a version again");
        }
    }

    /** The source has the version in force, perhaps again. */
    private Runnable returned() {
        PolicyStatus before = status;
        if (before.rejected().isEmpty()) {
            return () -> {};
        }
        PolicyStatus now = before.withoutRejection();
        status = now;
        return () -> listener.applied(now, registry.policies(), List.of());
    }

    private Runnable rejected(Optional<String> version, String reason) {
        PolicyStatus before = status;
        boolean reported = before.rejected()
                .filter(last -> last.version().equals(version) && last.reason().equals(reason))
                .isPresent();
        // While the reloader is closed, its thread is interrupted, and reads nothing.
        if (reported || closed) {
            return () -> {};
        }
        Rejection rejection = new Rejection(version, Instant.now(), reason);
        status = before.withRejected(rejection);
        return () -> listener.rejected(rejection);
    }

    private static void notify(Runnable notification) {
        try {
            notification.run();
        } catch (RuntimeException e) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        }
    }

    /** Stops applying new versions, and closes the source. Waits for a version that is being applied. The policies stay in force. */
    @Override
    public void close() {
        closed = true;
        source.close();
        reloading.lock();
        try {
            // A version that was being applied is in force, or rejected.
            shadow.stop();
        } finally {
            reloading.unlock();
        }
    }
}
