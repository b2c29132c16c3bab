package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The blocking lease: waits for the non-blocking one. */
public record RedisLease<T>(AsyncLease<T> async, BlockingCalls blocking) implements Lease<T> {

    @Override
    public Job<T> job() {
        return async.job();
    }

    @Override
    public JobId id() {
        return async.id();
    }

    @Override
    public Instant expiresAt() {
        return async.expiresAt();
    }

    @Override
    public Settled ack() {
        return settle(async::ack);
    }

    @Override
    public Settled handBack(Duration delay) {
        return settle(() -> async.handBack(delay));
    }

    @Override
    public Settled retry(Duration delay, String cause) {
        return settle(() -> async.retry(delay, cause));
    }

    @Override
    public Settled deadLetter(String cause) {
        return settle(() -> async.deadLetter(cause));
    }

    @Override
    public Settled extend(Duration lease) {
        return settle(() -> async.extend(lease));
    }

    private Settled settle(Supplier<CompletionStage<Settled>> call) {
        return blocking.await("settle", call);
    }
}
