package io.headgate.limits.internal;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;

/** The kinds of limits, with the short name that keys bear: another kind of limit is another count. */
public enum LimitKind {
    FIXED_WINDOW("fw"),
    SLIDING_WINDOW("sw"),
    SLIDING_COUNTER("sc"),
    TOKEN_BUCKET("tb");

    private final String code;

    LimitKind(String code) {
        this.code = code;
    }

    /** The kind of a limit. */
    public static LimitKind of(Limit limit) {
        if (limit instanceof FixedWindow) {
            return FIXED_WINDOW;
        }
        if (limit instanceof SlidingWindow) {
            return SLIDING_WINDOW;
        }
        return limit instanceof SlidingCounter ? SLIDING_COUNTER : TOKEN_BUCKET;
    }

    /** Two letters, as in keys. */
    public String code() {
        return code;
    }
}
