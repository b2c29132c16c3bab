package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.redis.queues.internal.job.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Looks up jobs of a queue and of the model, and compares the results. */
record LookupComparison(JobQueue<String> queue, QueueModel model, Function<ModelJob, JobId> ids) {

    void find(JobId id, ModelJob expected, long now) {
        assertThat(queue.find(id).map(LookupComparison::described))
                .isEqualTo(QueueModel.kind(expected, now).map(kind -> described(expected, kind)));
    }

    /** Compares the jobs in a state, page by page. */
    void pages(JobState.Kind kind, int max, long now) {
        List<String> shown = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            Page<StoredJob<String>> page = queue.jobs(kind, next.get(), max);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(max);
            page.items().forEach(job -> shown.add(described(job)));
            next = page.next();
        }
        List<String> expected = model.inState(kind, now).stream()
                .map(job -> described(job, kind))
                .toList();
        if (kind == JobState.Kind.LEASED) {
            assertThat(shown).containsExactlyInAnyOrderElementsOf(expected);
        } else {
            assertThat(shown).isEqualTo(expected);
        }
    }

    private static String described(StoredJob<String> stored) {
        Job<String> job = stored.job();
        JobState state = stored.state();
        boolean ended = state instanceof JobState.Dead || state instanceof JobState.Done;
        String attempt = ended ? "" : " attempt " + job.attempt();
        long at = state instanceof JobState.Leased leased
                ? Times.micros(leased.expiresAt())
                : state instanceof JobState.Dead dead
                        ? Times.micros(dead.since())
                        : state instanceof JobState.Done done ? Times.micros(done.since()) : Times.micros(job.dueAt());
        return job.id() + " " + job.payload() + attempt + " delivery " + job.delivery() + " crashes " + job.crashes()
                + " causes " + job.causes() + " " + state.kind() + " " + at;
    }

    private String described(ModelJob job, JobState.Kind kind) {
        String attempt =
                switch (kind) {
                    case READY, DELAYED -> " attempt " + job.failed;
                    case LEASED -> " attempt " + (job.failed + 1);
                    case DEAD, DONE -> "";
                };
        long at =
                switch (kind) {
                    case READY, DELAYED -> job.dueMicros;
                    case LEASED -> job.expiresAtMicros;
                    case DEAD -> job.diedAtMicros;
                    case DONE -> job.doneAtMicros;
                };
        return ids.apply(job) + " " + job.payload + attempt + " delivery " + job.delivered + " crashes " + job.crashes
                + " causes " + job.causes + " " + kind + " " + at;
    }
}
