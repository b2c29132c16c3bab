package io.headgate.limits;

/**
 * Hears when an engine finds its Redis in another state than before: for logs, metrics and alerts. Called in the order of the
 * changes, on a thread that must not block. What it throws is logged.
 */
@FunctionalInterface
public interface HealthListener {

    /**
     * The state changed.
     *
     * @param reason why, in a few words
     */
    void onChange(Health before, Health now, String reason);
}
