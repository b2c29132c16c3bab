package io.headgate.bench.queues;

import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.peers.RedissonJobs;
import io.headgate.bench.peers.StreamJobs;
import java.util.List;

/** All queues that are measured, by name. */
final class QueueSubjects {

    static final String HEADGATE = "headgate-queue";
    static final String STREAMS = "bare-streams";

    /** Our consumer of streams. */
    static final String STREAM_CONSUMER = "headgate-stream";

    private QueueSubjects() {}

    /** All that need nothing but this program; BullMQ may come on top. */
    static List<QueueSubject> all() {
        return List.of(
                QueueSubject.of(HEADGATE, HeadgateJobs::over),
                new QueueSubject("headgate-worker", 1, WorkerQueue::over),
                QueueSubject.of(STREAMS, StreamJobs::over),
                QueueSubject.of("streams-one-by-one", StreamJobs::oneByOne),
                QueueSubject.of("redisson", RedissonJobs::over));
    }

    /** Consumers of streams: ours, and bare commands. */
    static List<QueueSubject> streams() {
        return List.of(
                QueueSubject.of(STREAM_CONSUMER, HeadgateStreamJobs::over), QueueSubject.of(STREAMS, StreamJobs::over));
    }
}
