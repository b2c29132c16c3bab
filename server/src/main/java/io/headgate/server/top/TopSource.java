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

/** Who knows which keys are hot: this process, or all that count in the same Redis. */
public interface TopSource {

    /** Of all policies of which anything is known. */
    CompletionStage<List<TopKeys>> all();

    /** Of one policy; nothing is counted where nothing is known of it. */
    CompletionStage<TopKeys> of(String policy);

    /** What this process has counted, by that clock. */
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
                return CompletableFuture.completedFuture(
                        hotKeys.top(policy, now).orElseGet(() -> new TopKeys(policy, now, none, none, 1)));
            }
        };
    }

    /** What all have told that Redis. */
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
