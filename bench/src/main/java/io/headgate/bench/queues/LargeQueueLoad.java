package io.headgate.bench.queues;

import io.headgate.queues.JobQueue;
import java.util.function.ToLongFunction;

/** What is done with a large queue, from an empty one on; it answers with how many jobs. */
record LargeQueueLoad(String name, ToLongFunction<JobQueue<byte[]>> work) {

    long run(JobQueue<byte[]> queue) {
        return work.applyAsLong(queue);
    }
}
