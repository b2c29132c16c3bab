package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EntryId;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Shows a job of a group's queue as the entry that it was: a header names that. */
final class RetriedEntry {

    private RetriedEntry() {}

    static JobId id(Job<byte[]> job) {
        String entry = Objects.requireNonNull(job.headers().get(EntryFields.ENTRY_HEADER), "the entry's id");
        return EntryId.parse(entry).jobId();
    }

    /** The entry, by its own id and with its own headers. */
    static <T> Job<T> job(Job<byte[]> job, Codec<T> codec) {
        Map<String, String> headers = new LinkedHashMap<>(job.headers());
        headers.remove(EntryFields.ENTRY_HEADER);
        return with(job, id(job), Map.copyOf(headers), codec);
    }

    private static <T> Job<T> with(Job<byte[]> job, JobId id, Map<String, String> headers, Codec<T> codec) {
        return new Job<>(
                id,
                codec.decode(job.payload()),
                job.dueAt(),
                job.priority(),
                job.key(),
                headers,
                job.attempt(),
                job.delivery(),
                job.crashes(),
                job.causes());
    }
}
