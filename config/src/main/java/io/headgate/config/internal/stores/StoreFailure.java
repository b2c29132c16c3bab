package io.headgate.config.internal.stores;

import org.jspecify.annotations.Nullable;

/** A call to a store that failed, with a message for operators. */
public final class StoreFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why a call failed, as far as callers distinguish it. */
    public enum Kind {
        /** The store did not reply in time, or cannot be reached. Another connection may work. */
        NO_REPLY,
        /** There is no such lease. */
        NO_LEASE,
        /** The store rolled a transaction back, as a key has another value than expected, or for another reason. */
        ROLLED_BACK,
        OTHER
    }

    private final Kind kind;

    /**
     * Creates a failure.
     *
     * @param message begins with the operation and its key
     * @param cause what the client of the store reports, if it does
     */
    public StoreFailure(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Creates a failure that the store did not cause, such as a value of another program. */
    public static StoreFailure of(String message) {
        return new StoreFailure(Kind.OTHER, message, null);
    }

    StoreFailure withEffect(String effect) {
        return new StoreFailure(kind, getMessage() + effect, this);
    }

    /** Returns why the call failed. */
    public Kind kind() {
        return kind;
    }
}
