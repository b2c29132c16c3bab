package io.headgate.bench.queues;

import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.peers.RedissonJobs;
import io.headgate.bench.peers.StreamJobs;
import java.util.List;

/** The measured queues, by name. */
final class QueueSubjects {

    static final String HEADGATE = "headgate-queue";
    static final String STREAMS = "bare-streams";

    /** Headgate's consumer of a stream. */
    static final String STREAM_CONSUMER = "headgate-stream";

    private QueueSubjects() {}

    /** All queues that need no further program; BullMQ is added if it can be installed. */
    static List<QueueSubject> all() {
        return List.of(
                QueueSubject.of(HEADGATE, HeadgateJobs::over),
                new QueueSubject("headgate-worker", 1, WorkerQueue::over),
                QueueSubject.of(STREAMS, StreamJobs::over),
                QueueSubject.of("streams-one-by-one", StreamJobs::oneByOne),
                QueueSubject.of("redisson", RedissonJobs::over));
    }

    /** Consumers of streams: Headgate's, and bare commands. */
    static List<QueueSubject> streams() {
        return List.of(
                QueueSubject.of(STREAM_CONSUMER, HeadgateStreamJobs::over), QueueSubject.of(STREAMS, StreamJobs::over));
    }
}
