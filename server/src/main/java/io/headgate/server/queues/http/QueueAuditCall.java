package io.headgate.server.queues.http;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.AuditText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** Audits a queue for an operator. One audit runs at a time in a server, because its work grows with the queue. */
final class QueueAuditCall implements QueueCall {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final AtomicBoolean inProgress = new AtomicBoolean();

    @Override
    public CompletionStage<Result> handle(QueueRequest request) {
        request.requireNoParameters();
        boolean repair = request.body(List.of("repair"), "{\"repair\": true}").flag("repair");
        AsyncJobQueue<byte[]> queue = request.queue();
        if (!inProgress.compareAndSet(false, true)) {
            throw ProblemException.conflict("another audit is in progress at this server; retry when it is done");
        }
        request.setTimeout(TIMEOUT);
        return audited(request, queue)
                .thenCompose(report -> repair && !AuditText.hasNoOpenProblem(report)
                        ? queue.repair().thenApply(repaired -> repaired(request.name(), report, repaired))
                        : CompletableFuture.completedFuture(done(request.name(), report, Optional.empty())))
                .whenComplete((report, failure) -> inProgress.set(false));
    }

    /** Audits the queue; fails if it does not exist. A queue whose header, the key with its counts, was deleted exists. */
    private static CompletionStage<AuditReport> audited(QueueRequest request, AsyncJobQueue<byte[]> queue) {
        return queue.audit()
                .thenCompose(report -> AuditText.foundNoData(report)
                        ? request.existing().thenApply(there -> report)
                        : CompletableFuture.completedFuture(report));
    }

    private static Result repaired(String name, AuditReport before, AuditReport after) {
        return done(
                name,
                after,
                Optional.of(AuditedChange.of(name)
                        .from(Map.of("audit", AuditText.summary(name, before)))
                        .to(Map.of("audit", AuditText.summary(name, after)))));
    }

    private static Result done(String name, AuditReport report, Optional<AuditedChange> change) {
        return new Result(AuditText.json(name, report), "audited " + AuditText.summary(name, report), change);
    }
}
