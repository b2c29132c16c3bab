package io.headgate.server;

import io.headgate.queues.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Gathers jobs until there are as many as go in one call, or they are as large. */
final class JobBatch {

    private final Consumer<List<NewJob<byte[]>>> sender;
    private List<NewJob<byte[]>> jobs = new ArrayList<>();
    private long bytes;

    JobBatch(Consumer<List<NewJob<byte[]>>> sender) {
        this.sender = sender;
    }

    void add(NewJob<byte[]> job) {
        // Beside the payload, what else is known of a job may have as many bytes as headers and keys may.
        long more = (long) job.payload().length + (job.headers().isEmpty() ? 64 : 18 * 1024);
        if (jobs.size() == OperatedQueues.MAX_BATCH || bytes + more > OperatedQueues.MAX_BATCH_BYTES) {
            send();
        }
        jobs.add(job);
        bytes += more;
    }

    /** Sends what there is. */
    void send() {
        if (!jobs.isEmpty()) {
            sender.accept(jobs);
            jobs = new ArrayList<>();
            bytes = 0;
        }
    }
}
