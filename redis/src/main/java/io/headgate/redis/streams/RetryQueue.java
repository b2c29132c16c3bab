package io.headgate.redis.streams;

import io.headgate.queues.AsyncQueue;
import io.headgate.queues.internal.JobSource;

/**
 * The queue in which a group keeps what is to be tried again.
 *
 * @param queue as whoever claims sees it
 * @param work the same, as a worker sees it
 */
public record RetryQueue(AsyncQueue<byte[]> queue, JobSource<byte[]> work) {}
