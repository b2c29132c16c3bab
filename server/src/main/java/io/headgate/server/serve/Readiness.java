package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpResponse;
import io.headgate.server.http.Answers;
import io.headgate.server.http.Problem;
import java.util.concurrent.CompletionStage;

/** Whether this server should be sent requests: its store answers, and it is not about to stop. */
final class Readiness {

    private final Engine engine;
    private volatile boolean draining;

    Readiness(Engine engine) {
        this.engine = engine;
    }

    void drain() {
        draining = true;
    }

    /** Asks the store, without waiting. */
    HttpResponse answer() {
        if (draining) {
            return notReady("the server is stopping");
        }
        CompletionStage<HttpResponse> asked = engine.ping()
                .thenApply(pong -> Answers.text("ready"))
                .exceptionally(failure -> notReady(engine.description() + " does not answer"));
        return HttpResponse.of(asked);
    }

    private static HttpResponse notReady(String why) {
        return Answers.problem(Problem.of(503, "Service Unavailable", why));
    }
}
