package io.headgate.queues;

import io.headgate.queues.worker.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job as a queue hands it out. Immutable.
 *
 * @param id what the queue calls it by
 * @param payload what it is about
 * @param dueAt from when on it could be handed out, by Redis's clock
 * @param priority its priority
 * @param key its key, if it has one
 * @param headers what else was said of it
 * @param attempt the how-manieth attempt this is: 1 and one more for each that failed
 * @param delivery the how-manieth time it was handed out: 1 and one more for each time before, also when it was only
 *     handed back; up to 65 535
 * @param crashes how often its lease has expired; up to 255
 * @param causes why earlier attempts failed, the oldest first; the last few of them, 4000 bytes together. Of a {@link Worker}'s
 *     handler: class and message, then in further lines the top frames and what caused it, 1300 bytes at most
 * @param <T> what a payload is
 */
public record Job<T>(
        JobId id,
        T payload,
        Instant dueAt,
        Priority priority,
        Optional<String> key,
        Map<String, String> headers,
        int attempt,
        int delivery,
        int crashes,
        List<String> causes) {}
