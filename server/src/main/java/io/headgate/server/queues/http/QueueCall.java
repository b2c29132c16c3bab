package io.headgate.server.queues.http;

import io.headgate.server.audit.AuditedChange;
import io.headgate.server.http.ProblemException;
import java.util.Map;
import java.util.Optional;
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
     * @param outcome the outcome for the log: no payload, and no part of a token
     * @param change what the call changed, for the audit log; empty if nothing
     */
    record Result(Map<String, Object> members, String outcome, Optional<AuditedChange> change) {

        /** The result of a call that changed nothing. */
        Result(Map<String, Object> members, String outcome) {
            this(members, outcome, Optional.empty());
        }

        /** The result of a call that changed something. */
        Result(Map<String, Object> members, String outcome, AuditedChange change) {
            this(members, outcome, Optional.of(change));
        }
    }
}
