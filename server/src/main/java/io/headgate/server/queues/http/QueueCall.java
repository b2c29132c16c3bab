package io.headgate.server.queues.http;

import io.headgate.server.http.ProblemException;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Answers a request under {@code /v1/queues} without blocking. */
@FunctionalInterface
interface QueueCall {

    /**
     * Does what was asked.
     *
     * @throws ProblemException when the request is not as it must be
     * @throws IllegalArgumentException the same, where a bound of queues says so
     */
    CompletionStage<Done> answer(QueueRequest request);

    /**
     * What was done.
     *
     * @param members of the JSON object that is answered
     * @param outcome for the log of operators' calls: no payload, and nothing of a token
     */
    record Done(Map<String, Object> members, String outcome) {}
}
