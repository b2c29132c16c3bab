package io.headgate.queues;

import io.headgate.queues.worker.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as it is delivered or read from a queue. Immutable.
 *
 * @param id the id, which no other job of the queue has
 * @param payload the decoded payload
 * @param dueAt when the job is or was due, by Redis's clock; for a dead letter or a done job, when it became one; for an entry of a
 *     stream that was not retried, when it was produced
 * @param priority the priority
 * @param key the key, if the job has one
 * @param headers the headers
 * @param tenant the tenant, if the job has one
 * @param attempt the number of this attempt: 1, and one more for each failed attempt before it
 * @param delivery the number of this delivery: 1, and one more for each delivery before it, including those that were handed
 *     back; at most 65 536
 * @param crashes the number of leases of this job that have expired; at most 255
 * @param causes why earlier attempts failed, the oldest first. Only the newest causes are kept, at most 4000 bytes in total. A {@link
 *     Worker} stores several lines for each cause: the class and message of the exception, then the top frames and nested causes, at
 *     most 1300 bytes
 * @param <T> the type of the payload
 */
public record Job<T>(
        JobId id,
        T payload,
        Instant dueAt,
        Priority priority,
        Optional<String> key,
        Map<String, String> headers,
        Optional<String> tenant,
        int attempt,
        int delivery,
        int crashes,
        List<String> causes) {}
