package io.headgate.server.top;

import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.limits.RedisHotKeys;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A source of hot keys: this process, or all processes that store theirs in the same Redis. */
public interface TopSource {

    /** The hot keys of all policies that have any. */
    CompletionStage<List<TopKeys>> all();

    /** The hot keys of one policy; empty lists if it has none. */
    CompletionStage<TopKeys> of(String policy);

    /** The hot keys of this process, at the time of the given clock. */
    static TopSource of(HotKeys hotKeys, Supplier<Instant> clock) {
        return new TopSource() {

            @Override
            public CompletionStage<List<TopKeys>> all() {
                Instant now = clock.get();
                return CompletableFuture.completedFuture(hotKeys.policies().stream()
                        .flatMap(policy -> hotKeys.top(policy, now).stream())
                        .toList());
            }

            @Override
            public CompletionStage<TopKeys> of(String policy) {
                Instant now = clock.get();
                KeyCounts none = new KeyCounts(0, 0, List.of());
                // One in 1: nothing was sampled.
                return CompletableFuture.completedFuture(
                        hotKeys.top(policy, now).orElseGet(() -> new TopKeys(policy, now, none, none, 1)));
            }
        };
    }

    /** The hot keys that all processes have stored in Redis. */
    static TopSource of(RedisHotKeys hotKeys) {
        return new TopSource() {

            @Override
            public CompletionStage<List<TopKeys>> all() {
                return hotKeys.top();
            }

            @Override
            public CompletionStage<TopKeys> of(String policy) {
                return hotKeys.top(policy);
            }
        };
    }
}
