package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * The notification that a job became a dead letter. It is stored as a job in the queue of notifications, whose payload and key are the
 * id, a space and the instant: after a change of this text, dead letters are delivered once more.
 *
 * @param id the id of the dead letter
 * @param diedAt when it became a dead letter; differs if it is redriven and fails again
 */
record Notification(JobId id, Instant diedAt) {

    private static final char SEPARATOR = ' ';

    static Notification of(DeadLetterIds.Id deadLetter) {
        return new Notification(deadLetter.jobId(), deadLetter.diedAt());
    }

    /** Reads the payload of a job; empty if it is no notification. */
    static Optional<Notification> of(byte[] payload) {
        String text = new String(payload, StandardCharsets.UTF_8);
        int end = text.indexOf(SEPARATOR);
        if (end < 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Notification(new JobId(text.substring(0, end)), Instant.parse(text.substring(end + 1))));
        } catch (IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns the job of this notification. Its key rejects a second notification while the first one is stored. */
    NewJob<byte[]> job() {
        String text = id.value() + SEPARATOR + diedAt;
        return NewJob.of(text.getBytes(StandardCharsets.UTF_8)).once(text);
    }
}
