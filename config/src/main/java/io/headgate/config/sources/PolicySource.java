package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import java.util.Optional;

/**
 * Where the policies of a process come from, such as a file. A source provides the current version, and notifies of changes. A {@link
 * PolicyReloader} applies them.
 *
 * <p>Notifications are level-triggered: they say only that there may be another version. Several changes may cause one notification, and
 * the next notification covers a lost one.
 */
public interface PolicySource extends AutoCloseable {

    /** Returns the name of the source for the log and for reports, for example the path of a file. */
    String name();

    /**
     * Reads the current version.
     *
     * @throws ConfigException if there is none, or it cannot be read
     */
    PolicyDocument read();

    /**
     * Reads the shadow version, which processes evaluate beside the current version without applying it. Empty if there is none, as for any
     * source that is not a {@link PolicyStore}.
     *
     * @throws ConfigException if it cannot be read
     */
    default Optional<PolicyDocument> shadow() {
        return Optional.empty();
    }

    /**
     * Starts to notify of changes, also of the shadow version, usually within a second. Also notifies at the start, so that no change since a {@link #read} is missed.
     * Call it once.
     *
     * @param changed is called on a thread of the source, one call at a time
     * @throws IllegalStateException if it was called before, or the source is closed
     */
    void watch(Runnable changed);

    /**
     * Receives which version this process runs. A source that other processes read, too, shows it to them; others ignore it. Must not block.
     */
    default void report(PolicyStatus status) {}

    /** Ends the notifications, and releases the source. A second call has no effect. */
    @Override
    void close();
}
