package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.algorithm.Shares;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Keeps the holds of an engine in Redis, and decides by the fallbacks of their policies while Redis does not reply.
 *
 * <p>With a fallback, {@link BoundedCalls} ends each request for a hold and each peek within its budget. With {@code local} and {@code
 * open}, this instance also keeps its holds in {@link LocalHolds}, which replaces Redis in each call without a reply: it grants by the
 * share, extends leases, and releases. {@link HoldReconciler} then stores in Redis the holds that it lacks, before requests are sent there
 * again. With {@code closed} and {@code none}, only Redis renews and releases, so holds expire if an outage outlasts their leases.
 *
 * <p>Redis and the fallback may both grant a hold. It has the same id in Redis and here, so it counts once, and each call can be repeated.
 * A hold that Redis may have granted, but no caller has received, is released: at a late reply, or by retries of the engine as long as the
 * release is in doubt.
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

    /** Registers this instance if the policy's fallback is a local share; called when the policy is used. */
    void begin(InFlightPolicy policy) {
        if (fallback(policy.fallback()).mode() == Fallback.Mode.LOCAL) {
            redisState.shareLimits();
        }
    }

    private Fallback fallback(Optional<Fallback> ofPolicy) {
        return ofPolicy.orElse(defaultFallback);
    }

    private static boolean keepsHolds(Fallback fallback) {
        return fallback.mode() == Fallback.Mode.LOCAL || fallback.mode() == Fallback.Mode.OPEN;
    }

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        return redis.places(policy, attributes);
    }

    @Override
    public boolean answersInAnyCase(InFlightPolicy policy) {
        return fallback(policy.fallback()).mode() != Fallback.Mode.NONE;
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        Fallback fallback = fallback(hold.fallback());
        if (fallback.mode() == Fallback.Mode.NONE) {
            return redis.acquire(policy, hold);
        }
        begin(policy);
        return call("hold", fallback, hold.places(), () -> redis.acquire(policy, hold), new BoundedCalls.Outcomes<>() {
            @Override
            public Taken onReply(Taken reply) {
                if (reply.allowed() && keepsHolds(fallback)) {
                    local.addGranted(hold, policy.lease());
                }
                return reply;
            }

            @Override
            public Taken withoutReply(Optional<LimiterException> failure) {
                return acquireWithoutRedis(fallback, policy, hold, failure);
            }

            @Override
            public void onLateReply(Taken reply, Optional<Taken> answered) {
                boolean hasHold = answered.map(Taken::allowed).orElse(false) && local.synced(hold);
                if (reply.allowed() && !hasHold) {
                    redis.release(List.of(hold));
                }
            }
        });
    }

    private Taken acquireWithoutRedis(
            Fallback fallback, InFlightPolicy policy, PlacedHold hold, Optional<LimiterException> failure) {
        boolean mayBeGranted = failure.map(LimiterException::mayBeCharged).orElse(false);
        boolean allowed =
                switch (fallback.mode()) {
                    case LOCAL -> local.acquire(shareOf(policy), hold, mayBeGranted);
                    case OPEN -> local.acquireUnlimited(hold, policy.lease(), mayBeGranted);
                    case CLOSED, NONE -> false;
                };
        if (allowed) {
            redisState.requireSync();
        }
        InFlight inFlight = peekWithoutRedis(fallback, policy, hold.places());
        boolean inDoubt = !allowed && mayBeGranted;
        boolean isLocal = failure.isEmpty();
        return new Taken(allowed, inFlight, inDoubt, isLocal);
    }

    private InFlightPolicy shareOf(InFlightPolicy policy) {
        return Shares.of(policy, redisState.instances());
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
        Fallback fallback = fallback(policy.fallback());
        return fallback.mode() == Fallback.Mode.NONE
                ? redis.peek(policy, places)
                : call(
                        "peek",
                        fallback,
                        places,
                        () -> redis.peek(policy, places),
                        failure -> peekWithoutRedis(fallback, policy, places));
    }

    /** With a share, the shares of other instances count as held. When all requests are denied, no permit counts as free. */
    private InFlight peekWithoutRedis(Fallback fallback, InFlightPolicy policy, List<String> places) {
        InFlightPolicy share = fallback.mode() == Fallback.Mode.LOCAL ? shareOf(policy) : policy;
        InFlight here = local.peek(share, places);
        List<InFlightCount> counts = new ArrayList<>();
        for (int i = 0; i < policy.rules().size(); i++) {
            InFlightCount count = here.rules().get(i);
            long permits = policy.rules().get(i).permits();
            long held = fallback.mode() == Fallback.Mode.CLOSED
                    ? Math.max(count.held(), permits)
                    : count.held() + permits - share.rules().get(i).permits();
            counts.add(new InFlightCount(policy.rules().get(i), held, count.nextExpiry()));
        }
        return new InFlight(counts, here.at(), basis(fallback));
    }

    private static Decision.Basis basis(Fallback fallback) {
        return switch (fallback.mode()) {
            case LOCAL -> Decision.Basis.LOCAL_SHARE;
            case OPEN -> Decision.Basis.OPEN;
            case CLOSED, NONE -> Decision.Basis.CLOSED;
        };
    }

    @Override
    public CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> holds) {
        PlacedHold first = holds.get(0);
        Fallback fallback = fallback(first.fallback());
        if (!keepsHolds(fallback)) {
            return redis.renew(lease, endsMicros, holds);
        }
        // Read before the call, because this call may overtake one that stores these holds in Redis. When this reply
        // arrives, the other call may have made them synced here.
        Set<PlacedHold> valid = new HashSet<>(holds);
        valid.removeIf(hold -> !local.isValidWithoutRedis(hold));
        Supplier<CompletionStage<boolean[]>> send = () -> redis.renew(lease, endsMicros, holds);
        return call("renew", fallback, first.places(), send, new BoundedCalls.Outcomes<>() {
            @Override
            public boolean[] onReply(boolean[] reply) {
                boolean[] held = new boolean[reply.length];
                for (int i = 0; i < held.length; i++) {
                    PlacedHold hold = holds.get(i);
                    boolean isHere = local.extend(hold, lease, endsMicros);
                    held[i] = reply[i] || (isHere && valid.contains(hold));
                    if (!held[i]) {
                        local.release(hold);
                    }
                }
                return held;
            }

            @Override
            public boolean[] withoutReply(Optional<LimiterException> failure) {
                boolean[] held = new boolean[holds.size()];
                for (int i = 0; i < held.length; i++) {
                    held[i] = local.renewWithoutRedis(holds.get(i), lease, endsMicros);
                }
                redisState.requireSync();
                return held;
            }
        });
    }

    @Override
    public CompletionStage<List<Released>> release(List<PlacedHold> holds) {
        PlacedHold first = holds.get(0);
        Fallback fallback = fallback(first.fallback());
        List<Released> here = holds.stream().map(local::release).toList();
        if (!keepsHolds(fallback)) {
            return redis.release(holds);
        }
        return call("release", fallback, first.places(), () -> redis.release(holds), new BoundedCalls.Outcomes<>() {
            @Override
            public List<Released> onReply(List<Released> reply) {
                List<Released> all = new ArrayList<>();
                for (int i = 0; i < holds.size(); i++) {
                    // A hold that Redis did not receive yet was held here only.
                    Released one = reply.get(i).wasHeld() ? reply.get(i) : here.get(i);
                    all.add(new Released(one.hold(), one.permits()));
                }
                return all;
            }

            @Override
            public List<Released> withoutReply(Optional<LimiterException> failure) {
                return here;
            }
        });
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
            String operation,
            Fallback fallback,
            List<String> places,
            Supplier<CompletionStage<T>> send,
            BoundedCalls.Outcomes<T> outcomes) {
        return calls.call(operation, places.get(0), fallback.budget(timeout), send, outcomes);
    }
}
