package io.headgate.redis.streams;

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

/** An entry of the stream in hand: known by its id, its consumer and the how-manieth delivery it is. */
final class EntryLease<T> implements GroupLease<T> {

    private final RedisAsyncConsumerGroup<T> group;
    private final Codec<T> codec;
    private final ClaimedEntry entry;
    private volatile Instant expiresAt;

    EntryLease(RedisAsyncConsumerGroup<T> group, Codec<T> codec, ClaimedEntry entry, Instant expiresAt) {
        this.group = group;
        this.codec = codec;
        this.entry = entry;
        this.expiresAt = expiresAt;
    }

    @Override
    public boolean isOf(RedisAsyncConsumerGroup<?> other) {
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
        return said(group.planner().verbs().handBack(delay));
    }

    @Override
    public EntrySettlement retrySettlement(Duration delay, String cause) {
        return said(group.planner().verbs().retry(delay, cause));
    }

    @Override
    public EntrySettlement deadLetterSettlement(String cause) {
        return said(group.planner().verbs().deadLetter(cause));
    }

    @Override
    public EntrySettlement extendSettlement(Duration lease) {
        return said(group.planner().extend(lease));
    }

    private EntrySettlement said(byte[] verb) {
        return new EntrySettlement(entry, verb);
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
            EntriesSettled settled = written.reply();
            Settled extended = settled.each().get(0);
            if (extended == Settled.DONE) {
                expiresAt = Instant.ofEpochMilli(settled.nowMicros() / 1000 + GroupPlanner.millis(lease));
            }
            return written.requireConfirmed().each().get(0);
        });
    }

    private CompletableFuture<Settled> settle(EntrySettlement settlement) {
        return group.settle(List.of(settlement))
                .thenApply(written -> written.requireConfirmed().each().get(0));
    }
}
