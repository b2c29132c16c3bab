package io.headgate.queues;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PartialEnqueueExceptionTest {

    private final QueueException failure = new QueueException("enqueue", "hg:q:{mails:1}", "broke", true, null);

    private final PartialEnqueueException partial = new PartialEnqueueException(
            "hg:q:{mails}",
            List.of(Optional.of(new Enqueued(Enqueued.Outcome.ADDED, new JobId("0".repeat(30)))), Optional.empty()),
            List.of(Optional.empty(), Optional.of(failure)));

    @Test
    void each_job_has_a_result_or_a_failure() {
        assertThat(partial.results().stream().map(Optional::isPresent)).containsExactly(true, false);
        assertThat(partial.failures()).containsExactly(Optional.empty(), Optional.of(failure));
    }

    @Test
    void after_deserialization_the_lists_are_empty_and_the_message_is_kept() throws Exception {
        PartialEnqueueException copy = copy(partial);
        assertThat(copy.results()).isEmpty();
        assertThat(copy.failures()).isEmpty();
        assertThat(copy).hasMessage(partial.getMessage()).hasMessageContaining("1 of 2 jobs were enqueued");
        assertThat(copy.mayBeDone()).isTrue();
    }

    private static PartialEnqueueException copy(PartialEnqueueException exception)
            throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(exception);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (PartialEnqueueException) in.readObject();
        }
    }
}
