package io.headgate.config.sources;

import java.util.Locale;

/**
 * A difference between two versions of policies.
 *
 * @param path what changed, for example {@code api} or {@code api.per-user}
 * @param kind how it changed
 * @param description what it was, and what it is, for example {@code from sliding-window 100 per 1m to sliding-window 200 per 1m}; empty if it
 *     was removed
 */
public record PolicyChange(String path, Kind kind, String description) {

    /** How a policy or a rule changed. */
    public enum Kind {
        /** It is new, and starts with empty counts unless an earlier version had it. */
        ADDED,
        /** It no longer exists. */
        REMOVED,
        /** The limit admits more than before: more at once, more per time, or both, and not less of the other. */
        RAISED,
        /** The limit admits less than before: less at once, less per time, or both, and not more of the other. */
        LOWERED,
        /** Another change, for example of a kind of limit, or of the fallback. */
        CHANGED
    }

    /** Returns the change in one line, for example {@code api.per-user: raised from … to …}. */
    @Override
    public String toString() {
        return path + ": " + kind.name().toLowerCase(Locale.ROOT) + (description.isEmpty() ? "" : " " + description);
    }
}
