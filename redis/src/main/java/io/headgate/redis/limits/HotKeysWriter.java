package io.headgate.redis.limits;

import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.HotKeysPart;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.Scripts;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Writes the hot keys of this instance to Redis periodically. Each part, which is a policy and minute, is a call of its own, so that each
 * call is short. After a failure, the remaining parts wait for the next write.
 */
final class HotKeysWriter implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HotKeysWriter.class.getName());

    private final HotKeys hotKeys;
    private final Keys keys;
    private final Script put;
    private final RedisExecutor executor;
    private final byte[] instance = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
    private final AtomicBoolean writing = new AtomicBoolean();
    private final ScheduledFuture<?> schedule;

    /** The decisions that each part counted when it was last written, by its key in Redis. Only the write in progress uses it. */
    private Map<String, Long> written = new HashMap<>();

    private volatile boolean failing;

    private record Part(String key, TopKeys known) {}

    HotKeysWriter(HotKeys hotKeys, Keys keys, Scripts scripts, RedisExecutor executor, Duration every) {
        this.hotKeys = hotKeys;
        this.keys = keys;
        this.put = scripts.putHotKeys();
        this.executor = executor;
        this.schedule = executor.threads()
                .next()
                .scheduleWithFixedDelay(this::write, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Writes changed counts. Completes when all parts are written, and fails with the first part that fails. Does nothing if another write
     * is in progress.
     */
    CompletableFuture<Void> write() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        if (!writing.compareAndSet(false, true)) {
            end.complete(null);
            return end;
        }
        end.whenComplete((nothing, problem) -> {
            logOnce(problem);
            writing.set(false);
        });
        try {
            writeNext(changedParts(), end);
        } catch (RuntimeException e) {
            end.completeExceptionally(e);
        }
        return end;
    }

    /** Logs a failure once, until a write succeeds. */
    private void logOnce(@Nullable Throwable problem) {
        if (problem != null && !failing) {
            LOG.log(Level.WARNING, "hot keys are not written: " + problem.getMessage());
        }
        failing = problem != null;
    }

    private Queue<Part> changedParts() {
        Queue<Part> changed = new ArrayDeque<>();
        Map<String, Long> now = new HashMap<>();
        for (String policy : hotKeys.policies()) {
            for (TopKeys known : hotKeys.minutes(policy)) {
                String key = keys.hotKeys(policy, RedisHotKeys.minute(known.from()));
                long decisions = known.requested().total();
                Long before = written.get(key);
                if (before == null || before != decisions) {
                    changed.add(new Part(key, known));
                } else {
                    now.put(key, decisions);
                }
            }
        }
        // A changed part is added when it is written, so that a failed write is repeated. Parts of past minutes are
        // dropped.
        written = now;
        return changed;
    }

    private void writeNext(Queue<Part> parts, CompletableFuture<Void> end) {
        Part part = parts.poll();
        if (part == null) {
            end.complete(null);
            return;
        }
        TopKeys known = part.known();
        byte[][] arguments = {
            instance,
            HotKeysPart.encode(known),
            known.policy().getBytes(StandardCharsets.US_ASCII),
            Long.toString(RedisHotKeys.minute(known.from())).getBytes(StandardCharsets.US_ASCII)
        };
        String[] touched = {part.key(), keys.policiesOfHotKeys()};
        executor.execute(new ScriptCall<>(put, touched, arguments, reply -> reply))
                .whenCompleteAsync(
                        (reply, problem) -> {
                            if (problem != null) {
                                end.completeExceptionally(problem);
                                return;
                            }
                            written.put(part.key(), known.requested().total());
                            writeNext(parts, end);
                        },
                        executor.threads());
    }

    @Override
    public void close() {
        schedule.cancel(false);
    }
}
