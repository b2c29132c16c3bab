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
 * Which keys are asked most and which are denied most, over all instances that write what they know to this Redis: those
 * whose engine was {@linkplain RedisLimitEngine.Builder#hotKeys told to count}, of this minute and the one before by Redis's clock.
 *
 * <p>With m counters for each rule, of N decisions of all instances a count is never too low and at most N/m too high, as long
 * as what each of them lists fits into 16 KiB a policy and minute; each key says how far its own count may be off in any case.
 * What the last 10 seconds brought may be missing, and with an instance that died, its last 10. Of a policy up to 100 instances are
 * heard, and 1000 policies.
 *
 * <p>Safe for use by several threads.
 */
public final class RedisHotKeys {

    private static final long SECONDS = 60;

    private final Keys keys;
    private final Scripts scripts;
    private final RedisExecutor executor;

    RedisHotKeys(Keys keys, Scripts scripts, RedisExecutor executor) {
        this.keys = keys;
        this.scripts = scripts;
        this.executor = executor;
    }

    static long minute(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), SECONDS);
    }

    /** Of which policies there are any. */
    private record Overview(long minute, List<String> policies) {}

    /**
     * What is known of each policy, in the order of their names; fails with a {@link LimiterException} when Redis does not answer.
     */
    public CompletionStage<List<TopKeys>> top() {
        return overview().thenCompose(now -> {
            CompletableFuture<List<TopKeys>> all = CompletableFuture.completedFuture(new ArrayList<>());
            // One after the other, lest Redis is kept busy.
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
     * What is known of a policy: nothing is counted where no instance has told of it; fails with a {@link LimiterException} when
     * Redis does not answer.
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
                    Long.parseLong(lines.get(0)) / SECONDS,
                    lines.stream().skip(1).sorted().toList());
        }));
    }

    private CompletableFuture<TopKeys> top(String policy, long minute) {
        Instant from = Instant.ofEpochSecond((minute - 1) * SECONDS);
        String[] parts = {keys.hotKeys(policy, minute - 1), keys.hotKeys(policy, minute)};
        return executor.execute(new ScriptCall<>(
                scripts.partsOfHotKeys(),
                parts,
                new byte[0][],
                reply -> TopKeys.merged(policy, from, HotKeysPart.decode(policy, from, reply))));
    }
}
