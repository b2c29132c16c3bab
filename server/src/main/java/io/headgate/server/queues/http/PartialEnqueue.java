package io.headgate.server.queues.http;

import io.headgate.http.Problem;
import io.headgate.queues.Enqueued;
import io.headgate.queues.PartialEnqueueException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.QueueJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The response if some jobs of a call were enqueued and others failed: a problem with the result of each job. */
final class PartialEnqueue {

    private PartialEnqueue() {}

    /** Turns a PartialEnqueueException into this problem; returns any other failure unchanged. */
    static CompletionStage<List<Enqueued>> failed(Throwable problem) {
        @Nullable Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
        return CompletableFuture.failedFuture(
                cause instanceof PartialEnqueueException partial ? new ProblemException(of(partial)) : problem);
    }

    private static Problem of(PartialEnqueueException partial) {
        boolean full = partial.failures().stream()
                .flatMap(Optional::stream)
                .allMatch(failure -> failure instanceof QueueFullException);
        List<Map<String, Object>> jobs = new ArrayList<>();
        for (int i = 0; i < partial.results().size(); i++) {
            jobs.add(partial.results()
                    .get(i)
                    .map(QueueJson::enqueued)
                    .orElse(failure(partial.failures().get(i).orElse(partial))));
        }
        return new Problem(
                Problem.NO_TYPE,
                full ? "Conflict" : "Service Unavailable",
                full ? 409 : 503,
                "some of the jobs were enqueued and others were not; the member jobs has the outcome of each",
                Map.of("jobs", jobs));
    }

    private static Map<String, Object> failure(QueueException failure) {
        return Map.of(
                "outcome", failure.mayBeDone() ? "unknown" : failure instanceof QueueFullException ? "full" : "failed");
    }
}
