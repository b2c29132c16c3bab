package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpResponse;
import io.headgate.config.Policies;
import io.headgate.http.Problem;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.server.http.Responses;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Whether the server is ready for requests: its store answers or fallbacks decide, and it is not stopping. */
final class Readiness {

    private final Engine engine;
    private final Supplier<Policies> policies;
    private volatile boolean draining;

    Readiness(Engine engine, Supplier<Policies> policies) {
        this.engine = engine;
        this.policies = policies;
    }

    /** Returns whether every policy in force has a fallback. */
    private boolean answersAlways() {
        Policies now = policies.get();
        return Stream.concat(
                        now.list().stream().map(Policy::fallback),
                        now.inFlight().stream().map(InFlightPolicy::fallback))
                .allMatch(engine::answersAlways);
    }

    void drain() {
        draining = true;
    }

    /** Checks the store, without blocking. */
    HttpResponse answer() {
        if (draining) {
            return notReady("the server is stopping");
        }
        CompletionStage<HttpResponse> asked =
                engine.ping().thenApply(pong -> answered()).exceptionally(failure -> unanswered());
        return HttpResponse.of(asked);
    }

    /** Limits decide without the queues, so the server stays ready. */
    private HttpResponse answered() {
        return Responses.text(
                engine.reachesQueues() ? "ready" : "ready: the queues in " + engine.description() + " are unavailable");
    }

    private HttpResponse unanswered() {
        String why = engine.description() + " does not answer";
        return answersAlways() ? Responses.text("ready: " + why + ", and fallbacks decide") : notReady(why);
    }

    private static HttpResponse notReady(String why) {
        return Responses.problem(Problem.of(503, "Service Unavailable", why));
    }
}
