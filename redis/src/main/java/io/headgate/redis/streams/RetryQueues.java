package io.headgate.redis.streams;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.AsyncQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Durability;
import io.headgate.queues.GroupSettings;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.writes.Writes;
import java.time.Duration;
import java.util.Map;

/** What streams take of the engine of queues: a group keeps there what is to be tried again, and its dead letters. */
public interface RetryQueues {

    /** The queue of a group, with that header key. */
    RetryQueue queue(String header, GroupSettings group, QueueEvents events);

    /** The queue of a group, for looking at it. */
    <T> AsyncQueue<T> queue(String header, GroupSettings group, Codec<T> codec, QueueEvents events);

    /** The dead letters of the queue of a group, with that header key. */
    <T> AsyncDeadLetters<T> deadLetters(String header, GroupSettings group, Codec<T> codec, QueueEvents events);

    /**
     * What sends writes that are to be so durable.
     *
     * @throws QueueException when Redis can't be reached and must be, or can't confirm that
     */
    Writes writes(Durability durability, QueueEvents events);

    /** How long such a write may take. */
    Duration longest(Durability durability);

    /** What tells the engine's listeners of a stream or a group. */
    QueueEvents events(QueueListener.Source source);

    /** Calls back at each signal on the channel, until that is closed. */
    JobSource.Subscription subscribe(String channel, Runnable onSignal);

    /** All keys of that queue, in the order in which scripts take them. */
    String[] keys(String header);

    /** The parts of scripts that read and write such a queue. */
    Map<String, String> scriptParts();

    /** That a job waits again, and this was no attempt, as scripts take it. */
    byte[] handBack(Duration delay);

    /** That an attempt failed, as scripts take it. */
    byte[] retry(Duration delay, String cause);

    /** That a job is a dead letter, as scripts take it. */
    byte[] deadLetter(String cause);

    /** The dead letters, asked with a bounded wait. */
    <T> DeadLetters<T> blocking(AsyncDeadLetters<T> deadLetters, Awaiting awaiting);

    /** The lease, settled with a bounded wait. */
    <T> Lease<T> blocking(AsyncLease<T> lease, Awaiting awaiting);
}
