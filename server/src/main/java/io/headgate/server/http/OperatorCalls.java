package io.headgate.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.operators.Role;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** Answers calls of operators that may block: admits the operator, makes the call on another thread, and logs its outcome. Thread-safe. */
public final class OperatorCalls {

    private static final int MAX_LARGE = 4;

    private final OperatorGate gate;
    private final Semaphore large = new Semaphore(MAX_LARGE);

    /** Creates an instance that admits operators by this gate. */
    public OperatorCalls(OperatorGate gate) {
        this.gate = gate;
    }

    /**
     * The result of a call.
     *
     * @param members the members of the JSON object in the response
     * @param outcome the outcome in a few words, for the log
     * @param change what the call changed, for the audit log; empty if nothing
     */
    public record Result(Map<String, Object> members, String outcome, Optional<AuditedChange> change) {

        /** The result of a call that changed nothing. */
        public Result(Map<String, Object> members, String outcome) {
            this(members, outcome, Optional.empty());
        }
    }

    /** A call of an operator. */
    @FunctionalInterface
    public interface Call {

        /**
         * Makes the call.
         *
         * @param request the request with its body
         * @param entry the entry of the call, which has the name of the operator
         * @throws IllegalArgumentException if the request is invalid, which is answered with 400
         */
        Result make(AggregatedHttpRequest request, CallAudit.Entry entry);
    }

    /**
     * Answers a request.
     *
     * @param needed the role that allows the call
     * @param what the operation, for the log and the audit log
     * @throws ProblemException if the client is not an operator with that role
     */
    public HttpResponse answer(
            ServiceRequestContext ctx, HttpRequest request, Role needed, CallAudit.Call what, Call call) {
        return answer(ctx, request, gate.admit(ctx, needed, what), call, () -> {});
    }

    /**
     * Answers a request with a large body, as {@link #answer} does. Only a few of them are in progress, so that their bodies fit in memory.
     *
     * @throws ProblemException with status 429 if as many are in progress
     */
    public HttpResponse answerLarge(
            ServiceRequestContext ctx, HttpRequest request, Role needed, CallAudit.Call what, Call call) {
        CallAudit.Entry entry = gate.admit(ctx, needed, what);
        if (!large.tryAcquire()) {
            ProblemException busy = new ProblemException(
                    Problem.of(
                            429,
                            "at most " + MAX_LARGE + " calls with large bodies are in progress at once; try again"),
                    Map.of("Retry-After", "1"));
            entry.refused(busy);
            throw busy;
        }
        return answer(ctx, request, entry, call, large::release);
    }

    private static HttpResponse answer(
            ServiceRequestContext ctx, HttpRequest request, CallAudit.Entry entry, Call call, Runnable atEnd) {
        CompletableFuture<Result> result =
                request.aggregate().thenApplyAsync(whole -> result(call, whole, entry), ctx.blockingTaskExecutor());
        return HttpResponse.of(result.whenComplete((done, failure) -> {
                    atEnd.run();
                    entry.ended(
                            done == null ? null : done.outcome(),
                            done == null ? Optional.empty() : done.change(),
                            failure);
                })
                .thenApply(done -> Responses.json(done.members())));
    }

    private static Result result(Call call, AggregatedHttpRequest request, CallAudit.Entry entry) {
        try {
            return call.make(request, entry);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
