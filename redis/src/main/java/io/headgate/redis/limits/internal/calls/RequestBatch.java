package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.redis.internal.cluster.Redirect;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.BatchReply;
import io.headgate.redis.limits.internal.planner.BatchSteps;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are sent in one script call: a single request by {@code acquire}, several by {@code acquire_batch}. One thread adds the
 * requests, before the batch is sent.
 */
public final class RequestBatch {

    /** The maximum work of a call, in decisions of one rule on one permit; such a decision of a sliding window takes about 2 us. */
    private static final int MAX_WORK = 256;

    private static final int WORK_OF_SEVERAL_PERMITS = 4;

    /** The most permits that a step can encode. A request for more is sent alone; no limit admits it. */
    private static final long MAX_PERMITS = 0xffff_ffffL;

    private final PolicyPlanner planner;
    private final List<PendingRequest> requests = new ArrayList<>();
    private int work;

    public RequestBatch(PendingRequest first) {
        this.planner = first.planner();
        add(first);
    }

    /** Whether a request may be added: it has the same version of the policy, and the call has room for it. */
    public boolean accepts(PendingRequest pending) {
        return pending.planner() == planner
                && pending.request().permits() <= MAX_PERMITS
                && requests.get(0).request().permits() <= MAX_PERMITS
                && work + workOf(pending.request()) <= MAX_WORK;
    }

    private static int workOf(AcquireRequest request) {
        return request.keys().length * (request.permits() == 1 ? 1 : WORK_OF_SEVERAL_PERMITS);
    }

    void add(PendingRequest pending) {
        requests.add(pending);
        work += workOf(pending.request());
    }

    List<PendingRequest> requests() {
        return requests;
    }

    /**
     * Sends the requests. The caller must run the returned task; from then on, the reply completes the requests.
     *
     * @param alone receives the requests that must be sent once more, each in a call of its own
     * @param whenEnded runs when the call has ended
     */
    Runnable send(RedisExecutor executor, Consumer<PendingRequest> alone, Runnable whenEnded) {
        if (requests.size() == 1) {
            PendingRequest only = requests.get(0);
            CompletableFuture<Decision> decision = executor.execute(planner.acquire(only.request()), whenEnded);
            return () -> decision.whenComplete(only::finish);
        }
        BatchSteps steps = planner.newSteps();
        List<List<PendingRequest>> byStep = new ArrayList<>(requests.size());
        for (PendingRequest pending : requests) {
            int step = steps.add(pending.request());
            if (step == byStep.size()) {
                byStep.add(new ArrayList<>(1));
            }
            byStep.get(step).add(pending);
        }
        CompletableFuture<List<BatchReply.StepResult>> results =
                executor.executeDivisible(planner.acquireBatch(steps), whenEnded);
        return () -> results.whenComplete((all, failure) -> finish(alone, byStep, all, failure));
    }

    private void finish(
            Consumer<PendingRequest> alone,
            List<List<PendingRequest>> byStep,
            @Nullable List<BatchReply.StepResult> results,
            @Nullable Throwable failure) {
        if (Redirect.isTryAgain(failure)) {
            // The slot is migrating, and the keys of the batch are on two nodes. Those of a single request may be on
            // one.
            requests.forEach(alone);
            return;
        }
        if (results == null) {
            requests.forEach(pending -> pending.finish(null, failure));
            return;
        }
        for (int i = 0; i < results.size(); i++) {
            finish(alone, byStep.get(i), results.get(i));
        }
    }

    private static void finish(
            Consumer<PendingRequest> alone, List<PendingRequest> step, BatchReply.StepResult result) {
        if (result instanceof BatchReply.StepResult.Decided decided) {
            PendingRequest.finishAll(step, decided.decisions());
        } else if (result instanceof BatchReply.StepResult.Failed failed) {
            step.forEach(pending -> pending.failWithError(failed.error()));
        } else {
            step.forEach(alone);
        }
    }
}
