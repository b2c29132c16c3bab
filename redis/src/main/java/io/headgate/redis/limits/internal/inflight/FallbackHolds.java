package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.algorithm.Shares;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Keeps the holds of an engine in Redis, and answers by the fallbacks of their policies while Redis does not reply. Under a policy
 * that admits during an outage, holds are also kept locally: so a share can be counted, a renewal without a reply is not a refusal,
 * and the holds are sent to Redis when it is back.
 */
final class FallbackHolds implements HoldStore {

    private final RedisHolds redis;
    private final LocalHolds local;
    private final RedisState redisState;
    private final BoundedCalls calls;
    private final Fallback defaultFallback;
    private final Duration timeout;

    /**
     * Creates the store of an engine.
     *
     * @param defaultFallback the fallback of policies without one of their own
     * @param timeout the time after which no reply is expected
     */
    FallbackHolds(
            RedisHolds redis,
            LocalHolds local,
            RedisState redisState,
            BoundedCalls calls,
            Fallback defaultFallback,
            Duration timeout) {
        this.redis = redis;
        this.local = local;
        this.redisState = redisState;
        this.calls = calls;
        this.defaultFallback = defaultFallback;
        this.timeout = timeout;
    }

    private Fallback of(Optional<Fallback> ofPolicy) {
        return ofPolicy.orElse(defaultFallback);
    }

    /** This policy is used from now on. */
    void begin(InFlightPolicy policy) {
        if (of(policy.fallback()).mode() == Fallback.Mode.LOCAL) {
            redisState.shareLimits();
        }
    }

    private static boolean answers(Fallback fallback) {
        return fallback.mode() != Fallback.Mode.NONE;
    }

    /** Whether a hold is kept locally, too, so that it survives an outage. */
    private boolean isKept(PlacedHold hold) {
        Fallback.Mode mode = of(hold.fallback()).mode();
        return mode == Fallback.Mode.LOCAL || mode == Fallback.Mode.OPEN;
    }

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        return redis.places(policy, attributes);
    }

    @Override
    public boolean answersInAnyCase(InFlightPolicy policy) {
        return answers(of(policy.fallback()));
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        Fallback fallback = of(hold.fallback());
        if (!answers(fallback)) {
            return redis.acquire(policy, hold);
        }
        begin(policy);
        if (!redisState.isAvailable()) {
            return now(() -> acquireByFallback(fallback, policy, hold, false, false));
        }
        BoundedCalls.Outcomes<Taken> outcomes = new BoundedCalls.Outcomes<>() {
            @Override
            public Taken onReply(Taken reply) {
                if (reply.allowed() && isKept(hold)) {
                    local.addGranted(policy, hold);
                }
                return reply;
            }

            @Override
            public Taken onFailure(LimiterException failure) {
                return acquireByFallback(fallback, policy, hold, true, failure.mayBeCharged());
            }

            @Override
            public void onLateReply(Taken reply, Optional<Taken> answered) {
                boolean wasAllowed = answered.map(Taken::allowed).orElse(false);
                if (reply.allowed() && !(wasAllowed && local.synced(hold))) {
                    // The caller has no hold, or has released it.
                    redis.release(policy.name(), List.of(hold));
                }
            }
        };
        return call("hold", hold, () -> redis.acquire(policy, hold), outcomes);
    }

    /**
     * Answers without Redis.
     *
     * @param redisMayKnow whether Redis was called
     * @param mayBeGranted whether Redis may have granted the hold
     */
    private Taken acquireByFallback(
            Fallback fallback, InFlightPolicy policy, PlacedHold hold, boolean redisMayKnow, boolean mayBeGranted) {
        boolean allowed =
                switch (fallback.mode()) {
                    case LOCAL ->
                        local.acquire(shareOf(policy), hold, redisMayKnow).allowed();
                    case OPEN -> {
                        local.acquireUnlimited(policy, hold, redisMayKnow);
                        yield true;
                    }
                    case CLOSED, NONE -> false;
                };
        if (allowed) {
            redisState.requireSync();
        }
        return new Taken(allowed, peekByFallback(fallback, policy, hold.places()), !allowed && mayBeGranted);
    }

    private InFlightPolicy shareOf(InFlightPolicy policy) {
        return Shares.of(policy, redisState.instances());
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
        Fallback fallback = of(policy.fallback());
        if (!answers(fallback)) {
            return redis.peek(policy, places);
        }
        if (!redisState.isAvailable()) {
            return now(() -> peekByFallback(fallback, policy, places));
        }
        return calls.call(
                "peek",
                places.get(0),
                fallback.budget(timeout),
                () -> redis.peek(policy, places),
                failure -> peekByFallback(fallback, policy, places));
    }

    private InFlight peekByFallback(Fallback fallback, InFlightPolicy policy, List<String> places) {
        return switch (fallback.mode()) {
            case LOCAL -> LocalShareView.byShare(policy, local.peek(shareOf(policy), places));
            case OPEN -> LocalShareView.open(local.peek(policy, places));
            case CLOSED, NONE -> LocalShareView.closed(local.peek(policy, places));
        };
    }

    @Override
    public CompletionStage<boolean[]> renew(String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        List<PlacedHold> kept = holds.stream().filter(this::isKept).toList();
        if (kept.isEmpty()) {
            return redis.renew(policy, lease, endsMicros, holds);
        }
        if (kept.size() == holds.size()) {
            return renewKept(policy, lease, endsMicros, holds);
        }
        // The policy had another fallback when some of them were acquired.
        List<PlacedHold> others = holds.stream().filter(hold -> !isKept(hold)).toList();
        CompletionStage<boolean[]> renewedOthers = redis.renew(policy, lease, endsMicros, others);
        return renewKept(policy, lease, endsMicros, kept).thenCombine(renewedOthers, (ofKept, ofOthers) -> {
            boolean[] all = new boolean[holds.size()];
            int nextKept = 0;
            int nextOther = 0;
            for (int i = 0; i < all.length; i++) {
                all[i] = isKept(holds.get(i)) ? ofKept[nextKept++] : ofOthers[nextOther++];
            }
            return all;
        });
    }

    private CompletionStage<boolean[]> renewKept(
            String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        if (!redisState.isAvailable()) {
            return now(() -> renewWithoutRedis(policy, lease, endsMicros, holds));
        }
        Set<PlacedHold> unsynced = holds.stream().filter(local::isUnsynced).collect(Collectors.toSet());
        // A late reply does not matter: the renewal without Redis is sent again.
        BoundedCalls.Outcomes<boolean[]> outcomes = new BoundedCalls.Outcomes<>() {
            @Override
            public boolean[] onReply(boolean[] reply) {
                boolean[] held = reply.clone();
                for (int i = 0; i < held.length; i++) {
                    PlacedHold hold = holds.get(i);
                    if (held[i]) {
                        local.synced(hold);
                        local.extend(hold, lease, endsMicros);
                    } else if (unsynced.contains(hold)) {
                        // Redis may well not know it yet.
                        held[i] = local.extend(hold, lease, endsMicros);
                    } else {
                        local.release(hold);
                    }
                }
                return held;
            }

            @Override
            public boolean[] onFailure(LimiterException failure) {
                return renewWithoutRedis(policy, lease, endsMicros, holds);
            }
        };
        return call("renew", holds.get(0), () -> redis.renew(policy, lease, endsMicros, holds), outcomes);
    }

    private boolean[] renewWithoutRedis(String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        boolean[] held = new boolean[holds.size()];
        for (int i = 0; i < held.length; i++) {
            held[i] = local.renewWithoutRedis(policy, lease, endsMicros, holds.get(i));
        }
        redisState.requireSync();
        return held;
    }

    @Override
    public CompletionStage<List<Released>> release(String policy, List<PlacedHold> holds) {
        List<Released> locally = holds.stream().map(local::release).toList();
        if (!holds.stream().allMatch(this::isKept)) {
            return redis.release(policy, holds);
        }
        if (!redisState.isAvailable()) {
            return CompletableFuture.completedFuture(locally);
        }
        // A late reply does not matter: the second release does nothing.
        BoundedCalls.Outcomes<List<Released>> outcomes = new BoundedCalls.Outcomes<>() {
            @Override
            public List<Released> onReply(List<Released> reply) {
                // A hold acquired without Redis may be held here only.
                return IntStream.range(0, reply.size())
                        .mapToObj(i -> new Released(
                                holds.get(i),
                                (reply.get(i).wasHeld() ? reply : locally)
                                        .get(i)
                                        .permits()))
                        .toList();
            }

            @Override
            public List<Released> onFailure(LimiterException failure) {
                return locally.stream()
                        .map(one -> new Released(one.hold(), one.permits(), true))
                        .toList();
            }
        };
        return call("release", holds.get(0), () -> redis.release(policy, holds), outcomes);
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return redis.reset(policy, place).whenComplete((any, problem) -> {
            if (problem == null) {
                local.reset(place);
            }
        });
    }

    private <T> CompletionStage<T> call(
            String operation, PlacedHold first, Supplier<CompletionStage<T>> send, BoundedCalls.Outcomes<T> outcomes) {
        Duration budget = of(first.fallback()).budget(timeout);
        return calls.call(operation, first.places().get(0), budget, send, outcomes);
    }

    private static <T> CompletionStage<T> now(Supplier<T> answer) {
        try {
            return CompletableFuture.completedFuture(answer.get());
        } catch (CompletionException e) {
            return CompletableFuture.failedFuture(Causes.of(e));
        }
    }
}
