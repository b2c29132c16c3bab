package io.headgate.redis.queues;

import io.headgate.queues.Priority;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job of {@link QueueModel}, with its state. */
final class ModelJob {

    enum State {
        WAITING,
        LEASED,
        DEAD,
        DONE,
        GONE
    }

    final String payload;
    final Priority priority;
    /** How many jobs were enqueued before this one. */
    final int number;

    final @Nullable String key;

    /** The tenant; empty if the job has none. */
    String tenant = "";

    State state = State.WAITING;
    long dueMicros;
    long expiresAtMicros;
    long diedAtMicros;
    /** The number of its last lease. */
    int lease;

    int failed;
    int delivered;
    int crashes;
    long doneAtMicros;
    final List<String> causes = new ArrayList<>();

    ModelJob(String payload, Priority priority, int number, @Nullable String key, long dueMicros) {
        this.payload = payload;
        this.priority = priority;
        this.number = number;
        this.key = key;
        this.dueMicros = dueMicros;
    }

    /** Returns the fields of the job as a claim must report them. */
    String description() {
        return tenant + " " + payload + " attempt " + (failed + 1) + " delivery " + delivered + " crashes " + crashes
                + " due " + dueMicros + " causes " + causes;
    }
}
