package io.headgate.redis.limits;

import io.headgate.limits.LimiterException;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.HotKeysPart;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.Scripts;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The keys with the most requests and denials, over all instances of this Redis whose engines {@linkplain
 * RedisLimitEngine.Builder#hotKeys count} them. Counts are those of the current minute and the one before, by Redis's clock.
 *
 * <p>Apart from {@linkplain io.headgate.limits.hotkeys.HotKeys sampling}, a count of written decisions is never too low. With m counters
 * for each rule and N decisions of the policy in all instances, it is at most N/m too high, provided that the requested keys of each
 * instance fit into 8 KiB per policy and minute, and the denied keys as well. In any case, each key states the maximum error of its own
 * count. Decisions that an instance has not written yet are missing: by default, those of up to 10 seconds before now, or before the
 * instance ended. At most 100 instances per policy and 1000 policies are included.
 *
 * <p>Safe for use by several threads.
 */
public final class RedisHotKeys {

    private static final long SECONDS_PER_MINUTE = 60;

    private final Keys keys;
    private final Scripts scripts;
    private final RedisExecutor executor;

    RedisHotKeys(Keys keys, Scripts scripts, RedisExecutor executor) {
        this.keys = keys;
        this.scripts = scripts;
        this.executor = executor;
    }

    static long minute(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), SECONDS_PER_MINUTE);
    }

    /** The current minute by Redis's clock, and the policies with counts. */
    private record Overview(long minute, List<String> policies) {}

    /**
     * Returns the top keys of each policy, by name; fails with a {@link LimiterException} if Redis does not reply.
     */
    public CompletionStage<List<TopKeys>> top() {
        return overview().thenCompose(now -> {
            CompletableFuture<List<TopKeys>> all = CompletableFuture.completedFuture(new ArrayList<>());
            // One after the other, so that other clients are served in between.
            for (String policy : now.policies()) {
                all = all.thenCompose(some -> top(policy, now.minute()).thenApply(one -> {
                    some.add(one);
                    return some;
                }));
            }
            return all;
        });
    }

    /**
     * Returns the top keys of a policy, without counts if no instance has reported any; fails with a {@link LimiterException} if Redis
     * does not reply.
     */
    public CompletionStage<TopKeys> top(String policy) {
        return overview().thenCompose(now -> top(policy, now.minute()));
    }

    private CompletableFuture<Overview> overview() {
        String[] key = {keys.policiesOfHotKeys()};
        return executor.execute(new ScriptCall<>(scripts.policiesOfHotKeys(), key, new byte[0][], reply -> {
            List<String> lines =
                    new String(reply, StandardCharsets.US_ASCII).lines().toList();
            return new Overview(
                    Long.parseLong(lines.get(0)) / SECONDS_PER_MINUTE,
                    lines.stream().skip(1).sorted().toList());
        }));
    }

    private CompletableFuture<TopKeys> top(String policy, long minute) {
        Instant from = Instant.ofEpochSecond((minute - 1) * SECONDS_PER_MINUTE);
        String[] parts = {keys.hotKeys(policy, minute - 1), keys.hotKeys(policy, minute)};
        return executor.execute(new ScriptCall<>(
                scripts.partsOfHotKeys(),
                parts,
                new byte[0][],
                reply -> TopKeys.merged(policy, from, HotKeysPart.decode(policy, from, reply))));
    }
}
