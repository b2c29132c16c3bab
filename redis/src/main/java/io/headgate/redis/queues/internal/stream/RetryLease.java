package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The lease of an entry that is retried. The entry is stored as a job in the group's retry queue, with the id of the entry in a header;
 * this class presents the job as the original entry.
 *
 * @param group the group
 * @param codec decodes the payload
 * @param lease the lease of the job
 * @param claimed the same lease, with the methods for workers
 */
record RetryLease<T>(GroupCalls group, Codec<T> codec, AsyncLease<byte[]> lease, ClaimedJob<byte[]> claimed)
        implements GroupLease<T> {

    /**
     * The settlement of a retried entry.
     *
     * @param ofJob the settlement of the job in the retry queue
     * @param doneKey the key of the done entry to store, so that duplicates are skipped; empty for none
     */
    record RetrySettlement(Settlement ofJob, Optional<String> doneKey) implements Settlement {

        RetrySettlement(Settlement ofJob) {
            this(ofJob, Optional.empty());
        }

        @Override
        public Kind kind() {
            return ofJob.kind();
        }
    }

    @SuppressWarnings("unchecked") // a claimed job of a queue is its lease
    static <T> RetryLease<T> of(GroupCalls group, Codec<T> codec, ClaimedJob<byte[]> claimed) {
        return new RetryLease<>(group, codec, (AsyncLease<byte[]>) claimed, claimed);
    }

    @Override
    public int crashes() {
        return claimed.crashes();
    }

    @Override
    public RetrySettlement ackSettlement() {
        return new RetrySettlement(claimed.ackSettlement(), keyToKeep());
    }

    @Override
    public RetrySettlement duplicateSettlement() {
        return new RetrySettlement(claimed.ackSettlement());
    }

    @Override
    public Optional<String> key() {
        return key(lease.job());
    }

    private static Optional<String> key(Job<byte[]> job) {
        return Optional.ofNullable(job.headers().get(EntryFields.KEY));
    }

    private Optional<String> keyToKeep() {
        return group.planner().keepsDone() ? key() : Optional.empty();
    }

    @Override
    public RetrySettlement handBackSettlement(Duration delay) {
        return new RetrySettlement(claimed.handBackSettlement(delay));
    }

    @Override
    public RetrySettlement retrySettlement(Duration delay, String cause) {
        return new RetrySettlement(claimed.retrySettlement(delay, cause));
    }

    @Override
    public RetrySettlement deadLetterSettlement(String cause) {
        return new RetrySettlement(claimed.deadLetterSettlement(cause));
    }

    @Override
    public RetrySettlement extendSettlement(Duration length) {
        return new RetrySettlement(claimed.extendSettlement(length));
    }

    @Override
    public boolean isOf(GroupCalls other) {
        return group == other;
    }

    /** Decodes the entry, with its own id and without Headgate's headers. */
    @Override
    public Job<T> job() {
        Job<byte[]> job = lease.job();
        Map<String, String> headers = new LinkedHashMap<>(job.headers());
        headers.remove(EntryFields.ENTRY_HEADER);
        headers.remove(EntryFields.KEY);
        return new Job<>(
                entryId(job),
                codec.decode(job.payload()),
                job.dueAt(),
                job.priority(),
                key(job),
                Map.copyOf(headers),
                job.tenant(),
                job.attempt(),
                job.delivery(),
                job.crashes(),
                job.causes());
    }

    @Override
    public JobId id() {
        return entryId(lease.job());
    }

    private static JobId entryId(Job<byte[]> job) {
        String entry = Objects.requireNonNull(job.headers().get(EntryFields.ENTRY_HEADER), "the entry's id");
        return EntryId.parse(entry).jobId();
    }

    @Override
    public Instant expiresAt() {
        return lease.expiresAt();
    }

    @Override
    public CompletionStage<Settled> ack() {
        return group.keepDone(keyToKeep().stream().toList()).thenCompose(kept -> lease.ack());
    }

    @Override
    public CompletionStage<Settled> handBack(Duration delay) {
        return lease.handBack(delay);
    }

    @Override
    public CompletionStage<Settled> retry(Duration delay, String cause) {
        return lease.retry(delay, cause);
    }

    @Override
    public CompletionStage<Settled> deadLetter(String cause) {
        return lease.deadLetter(cause);
    }

    @Override
    public CompletionStage<Settled> extend(Duration length) {
        group.checkLease(length);
        return lease.extend(length);
    }
}
