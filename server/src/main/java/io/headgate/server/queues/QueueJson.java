package io.headgate.server.queues;

import io.headgate.http.Seconds;
import io.headgate.queues.Enqueued;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;

/** Queues as JSON, over HTTP and on the command line. Members that do not apply are absent; durations are seconds. */
public final class QueueJson {

    private QueueJson() {}

    /** The number of jobs in each state. */
    public static Map<String, Object> counts(String name, QueueCounts counts) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        members.put("ready", counts.ready());
        members.put("delayed", counts.delayed());
        members.put("leased", counts.leased());
        members.put("dead", counts.dead());
        members.put("done", counts.done());
        counts.oldestDue().ifPresent(late -> members.put("oldestDueSeconds", Seconds.exact(late)));
        members.put("paused", counts.paused());
        return members;
    }

    /** A queue that could not be read, and the reason. */
    public static Map<String, Object> unreadable(String name, String problem) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        members.put("problem", problem);
        return members;
    }

    /** The counts and, if there are several, the number of shards. */
    public static Map<String, Object> counts(String name, QueueCounts counts, int shards) {
        Map<String, Object> members = counts(name, counts);
        if (shards > 1) {
            members.put("shards", shards);
        }
        return members;
    }

    /** The members after a queue was paused or resumed. */
    public static Map<String, Object> paused(String name, boolean paused) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        members.put("paused", paused);
        return members;
    }

    /** The outcome of an enqueue. */
    public static Map<String, Object> enqueued(Enqueued enqueued) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", enqueued.id().value());
        members.put("outcome", Words.lower(enqueued.outcome()));
        return members;
    }
}
