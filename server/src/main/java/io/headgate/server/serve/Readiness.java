package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpResponse;
import io.headgate.config.Policies;
import io.headgate.http.Problem;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.server.http.Responses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Reports whether the server is ready for requests: its store replies or fallbacks decide, and it is not stopping. */
final class Readiness {

    private final Engine engine;
    private final ServedPolicies policies;
    private volatile boolean draining;

    Readiness(Engine engine, ServedPolicies policies) {
        this.engine = engine;
        this.policies = policies;
    }

    /** Returns whether every current policy has a fallback. */
    private boolean decidesWithoutStore() {
        Policies now = policies.current();
        return Stream.concat(
                        now.list().stream().map(Policy::fallback),
                        now.inFlight().stream().map(InFlightPolicy::fallback))
                .allMatch(engine::decidesWithoutStore);
    }

    void drain() {
        draining = true;
    }

    /** Checks the store, without blocking. */
    HttpResponse response() {
        if (draining) {
            return notReady("the server is stopping");
        }
        CompletionStage<HttpResponse> response =
                engine.ping().thenApply(pong -> available()).exceptionally(failure -> unavailable());
        return HttpResponse.of(response);
    }

    /** The response while the store replies. Limits do not need the queues, so the server is ready without them. */
    private HttpResponse available() {
        List<String> notes = new ArrayList<>();
        if (!engine.reachesQueues()) {
            notes.add("the queues in " + engine.description() + " are unavailable");
        }
        policies.rejected().map(rejection -> "policies: " + rejection).ifPresent(notes::add);
        return Responses.text(notes.isEmpty() ? "ready" : "ready: " + String.join("; ", notes));
    }

    private HttpResponse unavailable() {
        String why = engine.description() + " does not reply";
        if (!decidesWithoutStore()) {
            return notReady(why);
        }
        String rejected =
                policies.rejected().map(rejection -> "; policies: " + rejection).orElse("");
        return Responses.text("ready: " + why + ", and fallbacks decide" + rejected);
    }

    private static HttpResponse notReady(String why) {
        return Responses.problem(Problem.of(503, why));
    }
}
