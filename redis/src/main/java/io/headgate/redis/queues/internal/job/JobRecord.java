package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The stored form of a job, in the layout of docs/decisions/0023-stored-layouts.md. A record is part of a run: jobs with consecutive
 * numbers and the same due time, which the head of the run states. Scripts write the history and the causes, and update the flags and
 * the length. In lists, a script replaces a cancelled record by one that has only the flag 64.
 *
 * @param bytes the bytes that contain the record
 * @param at where the record starts
 * @param number the number of the job
 * @param dueMicros when the job is due; when it became a dead letter, or was done, if it is one of these
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record JobRecord(byte[] bytes, int at, long number, long dueMicros) {

    private static final int HAS_HISTORY = 1;
    private static final int HAS_CAUSES = 2;
    private static final int HAS_KEY = 4;
    private static final int HAS_HEADERS = 8;
    private static final int PRIORITY_SHIFT = 4;

    /** The empty name of the first header, which contains the tenant; no other header can have this name. */
    private static final byte[] TENANT_HEADER = {};

    private static final int NUMBER_BYTES = 6;
    private static final int TIME_BYTES = 7;
    private static final int RUN_BYTES = NUMBER_BYTES + TIME_BYTES + 2;
    private static final int BODY_AT = 1 + 3;
    private static final int HISTORY_BYTES = TIME_BYTES + 4;

    /** Encodes a new job. */
    static byte[] encode(NewJob<?> job, byte[] payload) {
        Packed body = new Packed();
        job.key().ifPresent(key -> putText(body, StoredKey.bytes(job.tenant(), job.group(), key.value()), 1));
        boolean hasHeaders = !job.headers().isEmpty() || job.tenant().isPresent();
        if (hasHeaders) {
            Packed headers = new Packed();
            job.tenant().ifPresent(name -> {
                putText(headers, TENANT_HEADER, 2);
                putText(headers, Utf8.of(name), 2);
            });
            job.headers().forEach((name, value) -> {
                putText(headers, Utf8.of(name), 2);
                putText(headers, Utf8.of(value), 2);
            });
            putText(body, headers.bytes(), 2);
        }
        body.all(payload);
        int flags = Levels.of(job.priority()) << PRIORITY_SHIFT
                | (job.key().isPresent() ? HAS_KEY : 0)
                | (hasHeaders ? HAS_HEADERS : 0);
        byte[] all = body.bytes();
        return new Packed().number(flags, 1).number(all.length, 3).all(all).bytes();
    }

    private static void putText(Packed into, byte[] text, int lengthBytes) {
        into.number(text.length, lengthBytes).all(text);
    }

    /** Reads the jobs of all runs. */
    public static List<JobRecord> all(byte[] runs) {
        List<JobRecord> records = new ArrayList<>();
        int at = 0;
        while (at < runs.length) {
            at = addRun(runs, at, records);
        }
        return records;
    }

    /** Reads whole runs, which start at a position, until there are at least that many jobs. */
    public static List<JobRecord> some(byte[] runs, int from, int jobs) {
        List<JobRecord> records = new ArrayList<>(jobs);
        int at = from;
        while (records.size() < jobs) {
            at = addRun(runs, at, records);
        }
        return records;
    }

    private static int addRun(byte[] runs, int from, List<JobRecord> into) {
        long first = Packed.number(runs, from, NUMBER_BYTES);
        long due = Packed.number(runs, from + NUMBER_BYTES, TIME_BYTES);
        long count = Packed.number(runs, from + NUMBER_BYTES + TIME_BYTES, 2);
        int at = from + RUN_BYTES;
        for (int i = 0; i < count; i++) {
            JobRecord record = new JobRecord(runs, at, first + i, due);
            into.add(record);
            at = record.end();
        }
        return at;
    }

    /** The position after the record. */
    public int end() {
        return at + BODY_AT + (int) Packed.number(bytes, at + 1, 3);
    }

    public boolean hasKey() {
        return has(HAS_KEY);
    }

    /** How many leases of the job have expired. */
    public int crashes() {
        return has(HAS_HISTORY) ? (int) Packed.number(bytes, at + BODY_AT + TIME_BYTES + 3, 1) : 0;
    }

    /** Returns the id of the job in a shard of its queue. */
    public JobId id(int shard) {
        long firstDue = has(HAS_HISTORY) ? Packed.number(bytes, at + BODY_AT, TIME_BYTES) : dueMicros;
        return JobIds.of(shard, priority(), firstDue, number, tenant());
    }

    /** Returns the tenant of the job, if it has one. */
    public Optional<String> tenant() {
        int from = headersAt();
        if (!has(HAS_HEADERS) || Packed.number(bytes, from + 2, 2) > 0) {
            return Optional.empty();
        }
        return Optional.of(Utf8.text(bytes, from + 6, (int) Packed.number(bytes, from + 4, 2)));
    }

    /** The position of the headers: after the history, the causes and the key. */
    private int headersAt() {
        int from = at + BODY_AT + (has(HAS_HISTORY) ? HISTORY_BYTES : 0);
        from += has(HAS_CAUSES) ? 2 + (int) Packed.number(bytes, from, 2) : 0;
        return from + (hasKey() ? 1 + (int) Packed.number(bytes, from, 1) : 0);
    }

    private Priority priority() {
        return Levels.priority(flags() >> PRIORITY_SHIFT & 3);
    }

    /** Decodes a claimed job, including this delivery in its counters. */
    public <T> Job<T> decode(Codec<T> codec, int shard) {
        return decode(codec, shard, 1);
    }

    /** Decodes a job that is not claimed. */
    public <T> Job<T> decodeIdle(Codec<T> codec, int shard) {
        return decode(codec, shard, 0);
    }

    private <T> Job<T> decode(Codec<T> codec, int shard, int thisTime) {
        int from = at + BODY_AT;
        int failed = 0;
        int delivered = 0;
        int crashes = 0;
        List<String> causes = List.of();
        if (has(HAS_HISTORY)) {
            failed = (int) Packed.number(bytes, from + TIME_BYTES, 1);
            delivered = (int) Packed.number(bytes, from + TIME_BYTES + 1, 2);
            crashes = (int) Packed.number(bytes, from + TIME_BYTES + 3, 1);
            from += HISTORY_BYTES;
        }
        if (has(HAS_CAUSES)) {
            int end = from + 2 + (int) Packed.number(bytes, from, 2);
            causes = texts(from + 2, end);
            from = end;
        }
        Optional<String> key = Optional.empty();
        if (hasKey()) {
            int length = (int) Packed.number(bytes, from, 1);
            key = Optional.of(StoredKey.key(bytes, from + 1, length));
            from += 1 + length;
        }
        Map<String, String> headers = Map.of();
        if (has(HAS_HEADERS)) {
            int end = from + 2 + (int) Packed.number(bytes, from, 2);
            headers = headers(texts(tenant().isPresent() ? from + 6 + tenantBytes(from) : from + 2, end));
            from = end;
        }
        byte[] payload = java.util.Arrays.copyOfRange(bytes, from, end());
        return new Job<>(
                id(shard),
                codec.decode(payload),
                Times.instant(dueMicros),
                priority(),
                key,
                headers,
                tenant(),
                failed + thisTime,
                delivered + thisTime,
                crashes,
                causes);
    }

    private int tenantBytes(int headersAt) {
        return (int) Packed.number(bytes, headersAt + 4, 2);
    }

    private static Map<String, String> headers(List<String> namesAndValues) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            headers.put(namesAndValues.get(i), namesAndValues.get(i + 1));
        }
        return headers;
    }

    /** Reads strings, each preceded by its length. */
    private List<String> texts(int from, int to) {
        List<String> texts = new ArrayList<>();
        int next = from;
        while (next < to) {
            int length = (int) Packed.number(bytes, next, 2);
            texts.add(Utf8.text(bytes, next + 2, length));
            next += 2 + length;
        }
        return List.copyOf(texts);
    }

    private boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    private int flags() {
        return bytes[at] & 0xff;
    }
}
