package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.redis.internal.Redirect;
import io.headgate.redis.internal.RedisExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Requests that go in one call: one alone as it is, several as steps of one script. */
final class Together {

    /** How much work a call may be: looks of rules that are about as dear as one permit of an exact window, some 2 us each. */
    private static final int MOST_WORK = 256;

    private static final int WORK_OF_SEVERAL_PERMITS = 4;

    /** Requests for more than an argument takes go alone; no limit admits so many. */
    private static final long MOST_PERMITS = 0xffff_ffffL;

    private final PolicyPlanner planner;
    private final List<Ask> asks = new ArrayList<>();
    private int work;

    Together(Ask first) {
        this.planner = first.planner();
        add(first);
    }

    /** Whether another one may go with these. */
    boolean takes(Ask ask) {
        return ask.planner() == planner
                && ask.permits() <= MOST_PERMITS
                && asks.get(0).permits() <= MOST_PERMITS
                && work + workOf(ask) <= MOST_WORK;
    }

    private static int workOf(Ask ask) {
        return ask.keys().length * (ask.permits() == 1 ? 1 : WORK_OF_SEVERAL_PERMITS);
    }

    void add(Ask ask) {
        asks.add(ask);
        work += workOf(ask);
    }

    List<Ask> asks() {
        return asks;
    }

    /**
     * Sends them; what is returned has them told when there is an answer.
     *
     * @param alone is handed those that must ask once more, each alone
     */
    Runnable send(RedisExecutor executor, Consumer<Ask> alone, Runnable whenEnded) {
        if (asks.size() == 1) {
            Ask only = asks.get(0);
            CompletableFuture<Decision> decision = executor.execute(planner.acquire(only), whenEnded);
            return () -> decision.whenComplete(only::end);
        }
        Steps steps = planner.steps();
        asks.forEach(steps::add);
        CompletableFuture<List<StepAnswer>> answers = executor.executeDivisible(planner.acquireAll(steps), whenEnded);
        return () -> answers.whenComplete((all, problem) -> tell(alone, steps, all, problem));
    }

    private void tell(
            Consumer<Ask> alone, Steps steps, @Nullable List<StepAnswer> answers, @Nullable Throwable problem) {
        if (Redirect.isToBeDivided(problem)) {
            asks.forEach(alone);
            return;
        }
        if (answers == null) {
            asks.forEach(ask -> ask.end(null, problem));
            return;
        }
        for (int i = 0; i < answers.size(); i++) {
            tell(alone, steps.all().get(i).asks(), answers.get(i));
        }
    }

    private static void tell(Consumer<Ask> alone, List<Ask> step, StepAnswer answer) {
        if (answer instanceof StepAnswer.Decided decided) {
            Ask.endAll(step, decided.decisions());
        } else if (answer instanceof StepAnswer.Failed failed) {
            step.forEach(ask -> ask.failWith(failed.error()));
        } else {
            step.forEach(alone);
        }
    }
}
