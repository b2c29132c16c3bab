package io.headgate.redis.audit;

import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.audit.AuditStreams;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.EngineFailures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.script.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * The audit log in Redis. It keeps about the last 10 000 records of each {@linkplain AuditAction.Kind kind}, and expires 400 days after the
 * last record.
 *
 * <p>Requires Redis 6.2 or later, or Valkey: a single node, a primary with Sentinel, or a Cluster. Safe for use by any number of threads.
 */
public final class RedisAuditLog implements AutoCloseable {

    /** The most records of one read. */
    public static final int MAX_READ = 500;

    private static final Pattern ID = Pattern.compile("[0-9]{1,15}-[0-9]{1,15}");
    private static final Pattern ZERO = Pattern.compile("0+-0+");
    private static final Duration LEAST_SILENCE = Duration.ofSeconds(5);

    private final AuditStreams streams;
    private final RedisLink link;
    private final BlockingCalls calls;
    private volatile boolean closed;

    private RedisAuditLog(RedisSettings settings) {
        this.streams = new AuditStreams(settings.keyPrefix());
        EngineFailures failures = new EngineFailures(AuditFailures.INSTANCE, this::whenClosed);
        this.link = RedisLinks.open(new ConnectionSettings(settings, false, LEAST_SILENCE), failures);
        this.calls = new BlockingCalls(settings.timeout(), failures, streams.key());
    }

    /**
     * Connects. While Redis can't be reached, the log connects in the background, and its calls fail.
     *
     * @throws AuditLogException if Redis rejects the user, the password or the database, or its certificate is not trusted
     */
    public static RedisAuditLog connect(RedisSettings settings) {
        return new RedisAuditLog(settings);
    }

    private Optional<RuntimeException> whenClosed(Object cause) {
        return closed ? Optional.of(new AuditLogException("the audit log is closed", null)) : Optional.empty();
    }

    /**
     * Appends records in one call, without blocking. Fails with an {@link AuditLogException} if Redis does not reply, or rejects the call.
     *
     * @param records 1 to 500 records
     */
    public CompletionStage<Void> append(List<AuditRecord> records) {
        if (records.isEmpty() || records.size() > MAX_READ) {
            throw new IllegalArgumentException("records must be 1 to " + MAX_READ + ", were " + records.size());
        }
        return link.executor().execute(streams.append(drafts(records))).thenAccept(id -> {});
    }

    private static List<AuditStreams.Draft> drafts(List<AuditRecord> records) {
        return records.stream()
                .map(record -> new AuditStreams.Draft(stream(record.kind()), record.fields()))
                .toList();
    }

    private static AuditStreams.Stream stream(AuditAction.Kind kind) {
        return switch (kind) {
            case CHANGE -> AuditStreams.Stream.CHANGES;
            case ITEM -> AuditStreams.Stream.ITEMS;
            case EVENT -> AuditStreams.Stream.EVENTS;
        };
    }

    /**
     * Appends a record, and blocks until Redis has replied.
     *
     * @throws AuditLogException if Redis does not reply, or rejects the call
     */
    public void write(AuditRecord record) {
        calls.await(AuditFailures.APPEND, () -> append(List.of(record)));
    }

    /**
     * Returns the first records after an id, oldest first. Blocks.
     *
     * @param id the id of a record, which need not exist any more; empty for the first records of all
     * @param max 1 to 500
     * @throws IllegalArgumentException if the id is not valid
     * @throws AuditLogException if Redis does not reply
     */
    public List<AuditEntry> after(Optional<String> id, int max) {
        return read(streams.after(checked(id), inRange(max)));
    }

    /**
     * Returns the last records before an id, oldest first. Blocks.
     *
     * @param id the id of a record, which need not exist any more; empty for the last records of all
     * @param max 1 to 500
     * @throws IllegalArgumentException if the id is not valid
     * @throws AuditLogException if Redis does not reply
     */
    public List<AuditEntry> before(Optional<String> id, int max) {
        String end = checked(id);
        int most = inRange(max);
        // Redis rejects a range that ends before the first possible id.
        return ZERO.matcher(end).matches() ? List.of() : read(streams.before(end, most));
    }

    private List<AuditEntry> read(ScriptCall<List<AuditStreams.Stored>> call) {
        return calls.await("read", () -> link.executor().execute(call)).stream()
                .map(stored -> new AuditEntry(stored.id(), AuditRecord.of(stored.fields())))
                .toList();
    }

    private static String checked(Optional<String> id) {
        id.filter(given -> !ID.matcher(given).matches()).ifPresent(wrong -> {
            throw new IllegalArgumentException("an id of a record must be like 1732218672100-0, was \""
                    + wrong.substring(0, Math.min(40, wrong.length())) + "\"");
        });
        return id.orElse("");
    }

    private static int inRange(int max) {
        if (max < 1 || max > MAX_READ) {
            throw new IllegalArgumentException("max must be from 1 to " + MAX_READ + ", was " + max);
        }
        return max;
    }

    /** Closes the connection. A second call has no effect. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            link.close();
        }
    }
}
