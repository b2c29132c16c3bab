package io.headgate.redis.queues.internal.queue;

import java.util.Optional;

/**
 * The scripts of one queue, whose shards share them. Until the queue is known to have tenants, it uses the scripts for queues without
 * tenants, which cost less. Safe for use by several threads.
 */
public final class ScriptChoice {

    private final QueueScripts withoutTenants;
    private final QueueScripts withTenants;
    private volatile boolean tenants;

    public ScriptChoice(QueueScripts withoutTenants, QueueScripts withTenants) {
        this.withoutTenants = withoutTenants;
        this.withTenants = withTenants;
    }

    /** Records that the queue has tenants. */
    public void useTenants() {
        tenants = true;
    }

    /** Whether the queue is known to have tenants. */
    public boolean hasTenants() {
        return tenants;
    }

    /** The scripts for the whole queue. */
    QueueScripts current() {
        return tenants ? withTenants : withoutTenants;
    }

    /**
     * The scripts for one lane, which has the waiting jobs of one tenant, and for keys that all lanes share: those for queues without
     * tenants.
     */
    QueueScripts ofOneLane() {
        return withoutTenants;
    }

    /** The scripts for the waiting jobs of one tenant; if empty, for waiting jobs without a tenant. */
    QueueScripts of(Optional<String> tenant) {
        return tenant.isPresent() ? withTenants : withoutTenants;
    }

    /** The scripts for jobs with tenants. */
    QueueScripts withTenants() {
        return withTenants;
    }
}
