package io.headgate.redis.limits;

import io.headgate.limits.LimitListener;
import io.headgate.redis.audit.AuditBatch;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.redis.audit.RuleBanAudit;
import io.headgate.redis.internal.audit.AuditStreams;
import io.headgate.redis.internal.script.RedisExecutor;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes a record of each ban that this engine begins by a rule to the audit log. Records that cannot be written are lost, and logged once
 * until a write succeeds.
 */
final class RuleBanRecords implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RuleBanRecords.class.getName());
    private static final long CLOSE_MILLIS = 500;

    private final AuditStreams streams;
    private final RedisExecutor executor;
    private final AuditBatch batch = new AuditBatch(this::write);
    private final RuleBanAudit listener = new RuleBanAudit(batch);
    private volatile boolean failing;
    private volatile CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    RuleBanRecords(String prefix, RedisExecutor executor) {
        this.streams = new AuditStreams(prefix);
        this.executor = executor;
    }

    /** Whether a failed call with these keys was one of this log, which reports its failures itself. */
    boolean hasKeys(List<String> keysOfCall) {
        return streams.hasKeys(keysOfCall);
    }

    /** Receives the decisions of policies with rules that ban. */
    LimitListener listener() {
        return listener;
    }

    private void write(List<AuditRecord> records) {
        List<AuditStreams.Draft> drafts = records.stream()
                .map(record -> new AuditStreams.Draft(AuditStreams.Stream.EVENTS, record.fields()))
                .toList();
        last = executor.execute(streams.append(drafts)).whenComplete((id, problem) -> {
            if (problem != null && !failing) {
                LOG.log(Level.WARNING, "bans by rules are missing in the audit log: " + problem.getMessage());
            }
            failing = problem != null;
        });
    }

    /** Writes the last records, and waits for up to half a second. */
    @Override
    public void close() {
        batch.flush();
        try {
            last.get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Logged when the call failed, or lost.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
