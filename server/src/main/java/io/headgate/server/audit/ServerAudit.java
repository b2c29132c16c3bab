package io.headgate.server.audit;

import com.linecorp.armeria.common.util.Exceptions;
import io.headgate.limits.LimitListener;
import io.headgate.redis.audit.AuditBatch;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.redis.audit.RuleBanAudit;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log of a server: it writes records to Redis and to a file, without delaying calls. Frequent ones are collected for a second.
 * Records that cannot be written are lost. The server's log reports the first loss, and the next one only after a write has succeeded.
 * Thread-safe.
 */
public final class ServerAudit implements AutoCloseable {

    /** The most batches, of up to 500 records each, that wait for a slow disk. */
    private static final int MAX_WAITING_BATCHES = 1_000;

    private static final Duration CLOSE = Duration.ofSeconds(1);
    private static final Logger log = LoggerFactory.getLogger(ServerAudit.class);

    private final Optional<AuditFile> file;
    private final Optional<RedisAuditLog> stored;
    private final AuditBatch batch = new AuditBatch(this::writeAll);
    private final RuleBanAudit ruleBans = new RuleBanAudit(batch);
    private final ThreadPoolExecutor disk;
    private volatile CompletableFuture<?> last = CompletableFuture.completedFuture(null);
    private volatile boolean diskFails;
    private volatile boolean redisFails;

    /**
     * Creates the log.
     *
     * @param file a file, which the log closes
     * @param stored the audit log in Redis, which remains open
     */
    public ServerAudit(Optional<AuditFile> file, Optional<RedisAuditLog> stored) {
        this.file = file;
        this.stored = stored;
        this.disk =
                new ThreadPoolExecutor(
                        1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING_BATCHES), ServerAudit::thread) {
                    @Override
                    protected void terminated() {
                        super.terminated();
                        closeFile();
                    }
                };
        this.disk.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "headgate-audit");
        thread.setDaemon(true);
        return thread;
    }

    private void closeFile() {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException e) {
            log.warn("the audit log lacks records: {}", e.getMessage());
        }
    }

    /** The audit log in Redis; empty if the server has none. */
    public Optional<RedisAuditLog> stored() {
        return stored;
    }

    /** A listener that records each ban that this server begins by a rule. */
    public LimitListener ruleBans() {
        return ruleBans;
    }

    /** Writes a record at once or, if its action is frequent or has many records in this second, with others within a second. Never throws. */
    public void write(AuditRecord record) {
        guarded(() -> batch.write(record));
    }

    /** Writes a frequent record whose state after the change is an amount, together with equal ones within a second. Never throws. */
    public void write(AuditRecord record, String unit, long amount) {
        guarded(() -> batch.add(record, unit, amount));
    }

    /** The change is already made, so a failure here must not reach the caller. */
    @SuppressWarnings("CatchingUnchecked")
    private void guarded(Runnable write) {
        try {
            write.run();
        } catch (Throwable thrown) {
            log.warn("the audit log lacks records", thrown);
        }
    }

    private void writeAll(List<AuditRecord> records) {
        stored.ifPresent(to -> guarded(() -> last = to.append(records)
                .toCompletableFuture()
                .whenComplete((done, problem) -> redisFails = report(redisFails, "Redis", problem))));
        file.ifPresent(to -> guarded(() -> enqueue(to, records)));
    }

    private void enqueue(AuditFile to, List<AuditRecord> records) {
        try {
            disk.execute(() -> append(to, records));
        } catch (RejectedExecutionException full) {
            String reason = disk.isShutdown() ? "the server has stopped" : "the disk is too slow";
            diskFails = report(diskFails, to.toString(), new IOException(reason, full));
        }
    }

    private void append(AuditFile to, List<AuditRecord> records) {
        try {
            for (AuditRecord record : records) {
                to.append(record);
            }
            diskFails = false;
        } catch (IOException e) {
            diskFails = report(diskFails, to.toString(), e);
        }
    }

    private static boolean report(boolean failing, String where, @Nullable Throwable problem) {
        if (problem != null && !failing) {
            Throwable cause = Exceptions.peel(problem);
            log.warn("the audit log in {} lacks records: {}", where, String.valueOf(cause.getMessage()));
        }
        return problem != null;
    }

    /** Waits up to two seconds for the last records to be written. The file is closed after its last record, even if that takes longer. */
    @Override
    public void close() {
        batch.flush();
        disk.shutdown();
        try {
            last.get(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // A failure was logged when the call failed. After a timeout, the records may be lost without a log line.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            if (!disk.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("the audit log may lack records: the disk is too slow");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
