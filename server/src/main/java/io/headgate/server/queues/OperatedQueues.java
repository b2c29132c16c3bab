package io.headgate.server.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Opens queues for operators, with payloads as bytes. The settings of an application do not apply: these allow the longest payloads and
 * ten million jobs (the default), and keep all done jobs.
 */
public final class OperatedQueues {

    /** Keeps every done job that is stored, whatever the application has set: the key of a done job is reserved while it is stored. */
    private static final KeepDone KEEP_ALL_DONE_JOBS = KeepDone.forTime(Duration.ofDays(3660));

    private OperatedQueues() {}

    /**
     * A queue by its name.
     *
     * @throws IllegalArgumentException if the name is not valid; the message states what is allowed
     */
    public static JobQueue<byte[]> named(QueueEngine queues, String name) {
        return queues.queue(settings(name), Codec.bytes());
    }

    public static QueueSettings settings(String name) {
        return QueueSettings.of(name)
                .withMaxPayloadBytes(QueueSettings.MAX_PAYLOAD_BYTES)
                .withKeepDone(KEEP_ALL_DONE_JOBS);
    }

    /** Returns whether the queue has no jobs and is not paused. Such a queue might not exist. */
    public static boolean isEmpty(QueueCounts counts) {
        return counts.ready() + counts.delayed() + counts.leased() + counts.dead() + counts.done() == 0
                && !counts.paused();
    }

    /** The number of jobs in a state. */
    public static long count(QueueCounts counts, JobState.Kind state) {
        return switch (state) {
            case READY -> counts.ready();
            case DELAYED -> counts.delayed();
            case LEASED -> counts.leased();
            case DEAD -> counts.dead();
            case DONE -> counts.done();
        };
    }

    /**
     * The counts of several queues.
     *
     * @param counts the counts of the readable queues, by name
     * @param unreadable for each other queue, by name, why it could not be read: a key has a foreign value
     */
    public record Listing(Map<String, QueueCounts> counts, Map<String, String> unreadable) {}

    /**
     * Reads the counts of these queues in parallel, and returns them in the given order. A queue with a foreign value under one of its
     * keys is {@link Listing#unreadable}; any other failure fails the stage.
     */
    public static CompletionStage<Listing> counts(QueueEngine queues, List<String> names) {
        CompletionStage<Listing> all =
                CompletableFuture.completedFuture(new Listing(new LinkedHashMap<>(), new LinkedHashMap<>()));
        for (String name : names) {
            CompletionStage<Object> one = named(queues, name)
                    .async()
                    .counts()
                    .<Object>thenApply(counts -> counts) // the counts, or below the text of a problem
                    .exceptionally(OperatedQueues::unreadable);
            all = all.thenCombine(one, (found, answer) -> {
                if (answer instanceof QueueCounts counts) {
                    found.counts().put(name, counts);
                } else {
                    found.unreadable().put(name, String.valueOf(answer));
                }
                return found;
            });
        }
        return all;
    }

    /** The foreign key and the remedy, if a foreign value caused the failure; otherwise throws the failure. */
    private static String unreadable(Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        if (cause instanceof QueueException failure && RedisQueueEngine.isForeignValue(failure)) {
            return failure.key() + " holds something that Headgate did not store; find which program writes it, then"
                    + " remove it (DEL " + failure.key() + ") or give Headgate another key prefix";
        }
        throw cause instanceof RuntimeException failure ? failure : new CompletionException(cause);
    }

    /**
     * Waits for a stage. Each call of an engine ends within its timeout.
     *
     * @throws RuntimeException the failure of the stage
     */
    public static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
