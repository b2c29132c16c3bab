package io.headgate.queues.inspect;

import io.headgate.queues.KeepDone;
import java.time.Instant;

/** The state of a stored job. Later versions may add states, so handle unknown ones. */
public sealed interface JobState {

    /** The kinds of states. */
    enum Kind {
        /** The kind of {@link JobState.Ready}. */
        READY,
        /** The kind of {@link JobState.Delayed}. */
        DELAYED,
        /** The kind of {@link JobState.Leased}. */
        LEASED,
        /** The kind of {@link JobState.Dead}. */
        DEAD,
        /** The kind of {@link JobState.Done}. */
        DONE
    }

    /** Returns the kind of this state. */
    Kind kind();

    /** The state of a job that is due and waits for a claim. */
    record Ready() implements JobState {

        @Override
        public Kind kind() {
            return Kind.READY;
        }
    }

    /** The state of a job that waits for its due time. */
    record Delayed() implements JobState {

        @Override
        public Kind kind() {
            return Kind.DELAYED;
        }
    }

    /**
     * The state of a job that is claimed and not settled.
     *
     * @param expiresAt when the lease expires, by Redis's clock; in the past if the lease has expired and no claim has taken the job
     *     over yet
     */
    record Leased(Instant expiresAt) implements JobState {

        @Override
        public Kind kind() {
            return Kind.LEASED;
        }
    }

    /**
     * The state of a dead letter.
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
     * The state of a job that is done and {@linkplain KeepDone kept}. Later claims and settlements delete done jobs beyond the bounds;
     * until then, such a job is still listed.
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
