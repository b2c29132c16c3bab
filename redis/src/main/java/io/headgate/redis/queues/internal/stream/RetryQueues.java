package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Durability;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.queues.internal.durability.Writes;
import java.time.Duration;
import java.util.Map;

/** The queue operations that streams need: each group stores its retries and its dead letters in a queue. */
public interface RetryQueues {

    /**
     * The retry queue of a group.
     *
     * @param queue the queue
     * @param source the same queue, as a source of jobs for workers
     */
    record RetryQueue(AsyncJobQueue<byte[]> queue, JobSource<byte[]> source) {}

    /** Returns the queue of a group, by its header key. */
    RetryQueue queue(String header, GroupSettings group, QueueEvents events);

    /** Returns the queue of a group for inspection, with decoded payloads. */
    <T> AsyncJobQueue<T> queue(String header, GroupSettings group, Codec<T> codec, QueueEvents events);

    /** Returns the dead letters of a group, by the header key of its queue. */
    <T> AsyncDeadLetters<T> deadLetters(String header, GroupSettings group, Codec<T> codec, QueueEvents events);

    /**
     * Returns the writes of a durability.
     *
     * @throws QueueException when Redis is unreachable and a connection is required, when it rejects the connection, for example its
     *     password, or when it can't confirm this durability
     */
    Writes writes(Durability durability, QueueEvents events);

    /** Returns the maximum duration of a write of this durability. */
    Duration callTimeout(Durability durability);

    /** Returns the events of a stream or a group. */
    QueueEvents events(QueueListener.Source source);

    /** Runs the callback at each signal on the channel, until the subscription is closed. */
    JobSource.Subscription subscribe(String channel, Runnable onSignal);

    /** The keys of a queue, in the order that scripts of streams expect. */
    String[] keys(String header);

    /** The parts of scripts that read and write a queue, by name. */
    Map<String, String> scriptParts();

    /** The packed action that hands a job back without counting an attempt. */
    byte[] handBack(Duration delay);

    /** The packed action that retries a failed job. */
    byte[] retry(Duration delay, String cause);

    /** The packed action that makes a job a dead letter. */
    byte[] deadLetter(String cause);

    /** Returns blocking dead letters. */
    <T> DeadLetters<T> blocking(AsyncDeadLetters<T> deadLetters, BlockingCalls blocking);

    /** Returns a blocking lease. */
    <T> Lease<T> blocking(AsyncLease<T> lease, BlockingCalls blocking);
}
