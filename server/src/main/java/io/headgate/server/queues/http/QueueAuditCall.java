package io.headgate.server.queues.http;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.AuditText;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** Audits a queue for an operator. One audit runs at a time, because its work grows with the queue. */
final class QueueAuditCall implements QueueCall {

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final AtomicBoolean underWay = new AtomicBoolean();

    @Override
    public CompletionStage<Done> answer(QueueRequest request) {
        request.requireParameters(List.of());
        boolean repair = request.body(List.of("repair"), "{\"repair\": true}").flag("repair");
        AsyncJobQueue<byte[]> queue = request.queue();
        if (!underWay.compareAndSet(false, true)) {
            throw ProblemException.conflict("another audit is in progress at this server; retry when it is done");
        }
        request.allow(LONGEST);
        return audited(request, queue)
                .thenCompose(report -> repair && !AuditText.isFine(report)
                        ? queue.repair()
                        : CompletableFuture.completedFuture(report))
                .whenComplete((report, failure) -> underWay.set(false))
                .thenApply(report -> done(request.name(), report));
    }

    /** A queue whose header was deleted also exists, and needs the audit most. */
    private static CompletionStage<AuditReport> audited(QueueRequest request, AsyncJobQueue<byte[]> queue) {
        return queue.audit()
                .thenCompose(report -> AuditText.sawNothing(report)
                        ? request.existing().thenApply(there -> report)
                        : CompletableFuture.completedFuture(report));
    }

    private static Done done(String name, AuditReport report) {
        return new Done(AuditText.json(name, report), "audited " + AuditText.summary(name, report));
    }
}
