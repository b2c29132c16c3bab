package io.headgate.server.queues;

import io.headgate.queues.Job;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;

/** A job as JSON, over HTTP and on the command line. Members that do not apply are absent. */
public final class JobJson {

    /** Payloads are at most this long, so that a single job's payload is never truncated. */
    private static final int FULL_BYTES = QueueSettings.MAX_PAYLOAD_BYTES;

    /** The maximum number of bytes of each payload in a list. */
    private static final int SUMMARY_BYTES = 1024;

    private JobJson() {}

    /** The job with its whole payload. */
    public static Map<String, Object> full(StoredJob<byte[]> stored) {
        return members(stored, FULL_BYTES);
    }

    /** The job as in a list, with its payload truncated to 1024 bytes. */
    public static Map<String, Object> summary(StoredJob<byte[]> stored) {
        return members(stored, SUMMARY_BYTES);
    }

    /** The job without its payload, headers and causes of failures, which may contain data that only some operators may read. */
    public static Map<String, Object> withoutPayload(StoredJob<byte[]> stored) {
        Map<String, Object> members = members(stored);
        members.remove("headers");
        members.remove("causes");
        members.put("payloadBytes", stored.job().payload().length);
        return members;
    }

    private static Map<String, Object> members(StoredJob<byte[]> stored, int payloadBytes) {
        Map<String, Object> members = members(stored);
        PayloadText.put(members, stored.job().payload(), payloadBytes);
        return members;
    }

    private static Map<String, Object> members(StoredJob<byte[]> stored) {
        Job<byte[]> job = stored.job();
        JobState state = stored.state();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", job.id().value());
        members.put("state", Words.lower(state.kind()));
        members.put("dueAt", job.dueAt().toString());
        if (state instanceof JobState.Leased leased) {
            members.put("leaseExpiresAt", leased.expiresAt().toString());
        } else if (state instanceof JobState.Dead dead) {
            members.put("deadSince", dead.since().toString());
        } else if (state instanceof JobState.Done done) {
            members.put("doneSince", done.since().toString());
        }
        members.put("priority", Words.lower(job.priority()));
        job.key().ifPresent(key -> members.put("key", key));
        job.tenant().ifPresent(tenant -> members.put("tenant", tenant));
        members.put("headers", job.headers());
        members.put("attempts", job.attempt());
        members.put("deliveries", job.delivery());
        members.put("crashes", job.crashes());
        members.put("causes", job.causes());
        return members;
    }
}
