package io.headgate.server.queues.cli;

import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Collects jobs, and sends them in batches of the maximum number or size of one call. */
final class JobBatch {

    /** An upper bound of the overhead of a job, a key, or a header: the bytes that are stored in addition to its text. */
    private static final long OVERHEAD_BYTES = 8;

    private final Consumer<List<NewJob<byte[]>>> sender;
    private List<NewJob<byte[]>> jobs = new ArrayList<>();
    private int delayedOrKeyed;
    private long bytes;

    JobBatch(Consumer<List<NewJob<byte[]>>> sender) {
        this.sender = sender;
    }

    void add(NewJob<byte[]> job) {
        long more = bytes(job);
        int one = isPlain(job) ? 0 : 1;
        if (jobs.size() == QueueSettings.MAX_BATCH
                || delayedOrKeyed + one > QueueSettings.MAX_BATCH_DELAYED_OR_KEYED
                || bytes + more > QueueSettings.MAX_BATCH_BYTES) {
            send();
        }
        jobs.add(job);
        delayedOrKeyed += one;
        bytes += more;
    }

    /** Sends the collected jobs. */
    void send() {
        if (!jobs.isEmpty()) {
            sender.accept(jobs);
            jobs = new ArrayList<>();
            delayedOrKeyed = 0;
            bytes = 0;
        }
    }

    /** Returns whether the job is due immediately and has no key. */
    private static boolean isPlain(NewJob<?> job) {
        return job.key().isEmpty()
                && job.due() instanceof NewJob.After after
                && after.delay().equals(Duration.ZERO);
    }

    private static long bytes(NewJob<byte[]> job) {
        long bytes = OVERHEAD_BYTES + job.payload().length;
        bytes += job.key().map(key -> OVERHEAD_BYTES + length(key.value())).orElse(0L);
        // A tenant is stored once as a header, and once with the key.
        bytes += job.tenant()
                .map(tenant -> 2 * OVERHEAD_BYTES + 2 * length(tenant))
                .orElse(0L);
        return bytes
                + job.headers().entrySet().stream()
                        .mapToLong(header -> OVERHEAD_BYTES + length(header.getKey()) + length(header.getValue()))
                        .sum();
    }

    private static long length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
