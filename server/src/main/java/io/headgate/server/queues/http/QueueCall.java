package io.headgate.server.queues.http;

import io.headgate.server.http.ProblemException;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Handles a request under {@code /v1/queues} without blocking. */
@FunctionalInterface
interface QueueCall {

    /**
     * Handles a request.
     *
     * @throws ProblemException if the request is invalid
     * @throws IllegalArgumentException if a value is out of the range that queues allow
     */
    CompletionStage<Result> handle(QueueRequest request);

    /**
     * The result of a call.
     *
     * @param members the members of the JSON response
     * @param outcome the outcome for the operators' log: no payload, and no part of a token
     */
    record Result(Map<String, Object> members, String outcome) {}
}
