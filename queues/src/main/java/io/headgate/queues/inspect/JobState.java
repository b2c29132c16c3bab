package io.headgate.queues.inspect;

import io.headgate.queues.KeepDone;
import java.time.Instant;

/** The state of a job. Later versions may add states, so handle unknown ones. */
public sealed interface JobState {

    /** The kinds of states. */
    enum Kind {
        /** {@link JobState.Ready}. */
        READY,
        /** {@link JobState.Delayed}. */
        DELAYED,
        /** {@link JobState.Leased}. */
        LEASED,
        /** {@link JobState.Dead}. */
        DEAD,
        /** {@link JobState.Done}. */
        DONE
    }

    /** Returns the kind of this state. */
    Kind kind();

    /** Due, and waiting for a claim. */
    record Ready() implements JobState {

        @Override
        public Kind kind() {
            return Kind.READY;
        }
    }

    /** Waiting for its due time. */
    record Delayed() implements JobState {

        @Override
        public Kind kind() {
            return Kind.DELAYED;
        }
    }

    /**
     * Claimed and not settled.
     *
     * @param expiresAt when the lease expires, by Redis's clock; a past time if no claim has taken the job over yet
     */
    record Leased(Instant expiresAt) implements JobState {

        @Override
        public Kind kind() {
            return Kind.LEASED;
        }
    }

    /**
     * A dead letter.
     *
     * @param since when it became one, by Redis's clock
     */
    record Dead(Instant since) implements JobState {

        @Override
        public Kind kind() {
            return Kind.DEAD;
        }
    }

    /**
     * Done, and {@linkplain KeepDone kept}; for a short time also beyond the bounds.
     *
     * @param since when it was acknowledged, by Redis's clock
     */
    record Done(Instant since) implements JobState {

        @Override
        public Kind kind() {
            return Kind.DONE;
        }
    }
}
