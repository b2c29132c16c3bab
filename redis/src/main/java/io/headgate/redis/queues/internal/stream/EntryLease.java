package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The lease of an entry of the stream. Redis identifies it by the entry id, the consumer and the number of the delivery. */
final class EntryLease<T> implements GroupLease<T> {

    private final GroupCalls group;
    private final Codec<T> codec;
    private final ClaimedEntry entry;
    private volatile Instant expiresAt;

    EntryLease(GroupCalls group, Codec<T> codec, ClaimedEntry entry, Instant expiresAt) {
        this.group = group;
        this.codec = codec;
        this.entry = entry;
        this.expiresAt = expiresAt;
    }

    @Override
    public boolean isOf(GroupCalls other) {
        return group == other;
    }

    @Override
    public int crashes() {
        return entry.crashes();
    }

    @Override
    public EntrySettlement ackSettlement() {
        return group.planner().ack(entry);
    }

    @Override
    public EntrySettlement duplicateSettlement() {
        return EntrySettlement.ack(entry);
    }

    @Override
    public Optional<String> key() {
        return entry.key();
    }

    @Override
    public EntrySettlement handBackSettlement(Duration delay) {
        return settlement(group.planner().retryQueues().handBack(delay));
    }

    @Override
    public EntrySettlement retrySettlement(Duration delay, String cause) {
        return settlement(group.planner().retryQueues().retry(delay, cause));
    }

    @Override
    public EntrySettlement deadLetterSettlement(String cause) {
        return settlement(group.planner().retryQueues().deadLetter(cause));
    }

    @Override
    public EntrySettlement extendSettlement(Duration lease) {
        return settlement(group.planner().extend(lease));
    }

    private EntrySettlement settlement(byte[] action) {
        return new EntrySettlement(entry, action);
    }

    @Override
    public Job<T> job() {
        return entry.decode(codec);
    }

    @Override
    public JobId id() {
        return entry.id().jobId();
    }

    @Override
    public Instant expiresAt() {
        return expiresAt;
    }

    @Override
    public CompletableFuture<Settled> ack() {
        return settle(ackSettlement());
    }

    @Override
    public CompletableFuture<Settled> handBack(Duration delay) {
        return settle(handBackSettlement(JobBounds.delay(delay)));
    }

    @Override
    public CompletableFuture<Settled> retry(Duration delay, String cause) {
        return settle(retrySettlement(JobBounds.delay(delay), JobBounds.cause(cause)));
    }

    @Override
    public CompletableFuture<Settled> deadLetter(String cause) {
        return settle(deadLetterSettlement(JobBounds.cause(cause)));
    }

    @Override
    public CompletableFuture<Settled> extend(Duration lease) {
        group.checkLease(lease);
        return group.settle(List.of(extendSettlement(lease))).thenApply(written -> {
            EntrySettlements.Results results = written.reply();
            if (results.each().get(0) == Settled.DONE) {
                expiresAt = Instant.ofEpochMilli(results.nowMicros() / 1000 + GroupPlanner.millis(lease));
            }
            return written.requireConfirmed().each().get(0);
        });
    }

    private CompletableFuture<Settled> settle(EntrySettlement settlement) {
        return group.settle(List.of(settlement))
                .thenApply(written -> written.requireConfirmed().each().get(0));
    }
}
