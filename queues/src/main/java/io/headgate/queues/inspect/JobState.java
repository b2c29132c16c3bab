package io.headgate.queues.inspect;

import io.headgate.queues.KeepDone;
import java.time.Instant;

/** Which state a job is in. More may come: who asks what it is must bear that. */
public sealed interface JobState {

    /** The states by their names. */
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

    /** The state by its name. */
    Kind kind();

    /** Due, and nobody has it. */
    record Ready() implements JobState {

        @Override
        public Kind kind() {
            return Kind.READY;
        }
    }

    /** Due later. */
    record Delayed() implements JobState {

        @Override
        public Kind kind() {
            return Kind.DELAYED;
        }
    }

    /**
     * In somebody's hands.
     *
     * @param expiresAt when the lease ends, by Redis's clock; it may have, as long as nobody has claimed since
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
     * @param since when it was given up, by Redis's clock
     */
    record Dead(Instant since) implements JobState {

        @Override
        public Kind kind() {
            return Kind.DEAD;
        }
    }

    /**
     * Done, and {@linkplain KeepDone kept}; for a moment also when it is too old or one too many already.
     *
     * @param since when it was acked, by Redis's clock
     */
    record Done(Instant since) implements JobState {

        @Override
        public Kind kind() {
            return Kind.DONE;
        }
    }
}
