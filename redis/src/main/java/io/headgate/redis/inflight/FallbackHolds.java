package io.headgate.redis.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.limits.internal.Released;
import io.headgate.limits.internal.Shares;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Keeps the holds of an engine in Redis, and answers in the way of their policies while Redis does not. Under a policy that goes on
 * without Redis, what is held is known here, too: so a share can be counted, a renewal that Redis does not answer is none that
 * was refused, and a Redis that is back can be told.
 */
final class FallbackHolds implements HoldStore {

    private final RedisHolds redis;
    private final HeldHere here;
    private final RedisState redisState;
    private final TimedCalls calls;
    private final Fallback usual;
    private final Duration timeout;

    /**
     * One that asks Redis, as long as that is to be asked.
     *
     * @param usual the fallback of policies that say nothing
     * @param timeout after how long no answer comes any more
     */
    FallbackHolds(
            RedisHolds redis,
            HeldHere here,
            RedisState redisState,
            TimedCalls calls,
            Fallback usual,
            Duration timeout) {
        this.redis = redis;
        this.here = here;
        this.redisState = redisState;
        this.calls = calls;
        this.usual = usual;
        this.timeout = timeout;
    }

    private Fallback of(Optional<Fallback> told) {
        return told.orElse(usual);
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

    /** Whether what is held goes on without Redis. */
    private boolean goesOn(PlacedHold hold) {
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
            return now(() -> take(fallback, policy, hold, false, false));
        }
        TimedCalls.Answers<Taken> answers = new TimedCalls.Answers<>() {
            @Override
            public Taken inTime(Taken said) {
                if (said.allowed() && goesOn(hold)) {
                    here.taken(policy, hold);
                }
                return said;
            }

            @Override
            public Taken instead(LimiterException problem) {
                return take(fallback, policy, hold, true, problem.mayBeCharged());
            }

            @Override
            public void late(Taken said, Taken told) {
                if (said.allowed() && !(told.allowed() && here.known(hold))) {
                    // Nobody has it, or nobody any more.
                    redis.release(policy.name(), List.of(hold));
                }
            }

            @Override
            public void lateAfterFailure(Taken answer) {
                if (answer.allowed()) {
                    redis.release(policy.name(), List.of(hold));
                }
            }
        };
        String key = hold.places().get(0);
        return calls.call("hold", key, fallback.budget(timeout), () -> redis.acquire(policy, hold), answers);
    }

    /**
     * What is answered without Redis.
     *
     * @param isAsked whether Redis was asked
     * @param mayBeTaken whether it may have taken it
     */
    private Taken take(Fallback fallback, InFlightPolicy policy, PlacedHold hold, boolean isAsked, boolean mayBeTaken) {
        boolean allowed =
                switch (fallback.mode()) {
                    case LOCAL -> here.take(shareOf(policy), hold, isAsked).allowed();
                    case OPEN -> {
                        here.takeAny(policy, hold, isAsked);
                        yield true;
                    }
                    case CLOSED, NONE -> false;
                };
        if (allowed) {
            redisState.requireSync();
        }
        return new Taken(allowed, look(fallback, policy, hold.places()), !allowed && mayBeTaken);
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
            return now(() -> look(fallback, policy, places));
        }
        return calls.call(
                "peek",
                places.get(0),
                fallback.budget(timeout),
                () -> redis.peek(policy, places),
                problem -> look(fallback, policy, places));
    }

    private InFlight look(Fallback fallback, InFlightPolicy policy, List<String> places) {
        return switch (fallback.mode()) {
            case LOCAL -> SharedLook.byShare(policy, here.look(shareOf(policy), places));
            case OPEN -> SharedLook.open(here.look(policy, places));
            case CLOSED, NONE -> SharedLook.closed(here.look(policy, places));
        };
    }

    @Override
    public CompletionStage<boolean[]> renew(String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        List<PlacedHold> going = holds.stream().filter(this::goesOn).toList();
        if (going.isEmpty()) {
            return redis.renew(policy, lease, endsMicros, holds);
        }
        if (going.size() == holds.size()) {
            return renewGoing(policy, lease, endsMicros, holds);
        }
        // Of a policy that had another fallback when some of them were taken.
        List<PlacedHold> others = holds.stream().filter(hold -> !goesOn(hold)).toList();
        CompletionStage<boolean[]> renewed = redis.renew(policy, lease, endsMicros, others);
        return renewGoing(policy, lease, endsMicros, going).thenCombine(renewed, (those, these) -> {
            boolean[] all = new boolean[holds.size()];
            int atThose = 0;
            int atThese = 0;
            for (int i = 0; i < all.length; i++) {
                all[i] = goesOn(holds.get(i)) ? those[atThose++] : these[atThese++];
            }
            return all;
        });
    }

    private CompletionStage<boolean[]> renewGoing(
            String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        if (!redisState.isAvailable()) {
            return now(() -> renewWithout(policy, lease, endsMicros, holds));
        }
        Set<PlacedHold> owed = here.owed(holds);
        // What comes late matters not: Redis is told again.
        TimedCalls.Answers<boolean[]> answers = new TimedCalls.Answers<>() {
            @Override
            public boolean[] inTime(boolean[] said) {
                boolean[] held = said.clone();
                for (int i = 0; i < held.length; i++) {
                    PlacedHold hold = holds.get(i);
                    if (held[i]) {
                        here.known(hold);
                        here.extend(hold, lease, endsMicros);
                    } else if (owed.contains(hold)) {
                        // What Redis is still to be told it may well not know.
                        held[i] = here.extend(hold, lease, endsMicros);
                    } else {
                        here.remove(hold);
                    }
                }
                return held;
            }

            @Override
            public boolean[] instead(LimiterException problem) {
                return renewWithout(policy, lease, endsMicros, holds);
            }
        };
        PlacedHold first = holds.get(0);
        return calls.call(
                "renew",
                first.places().get(0),
                of(first.fallback()).budget(timeout),
                () -> redis.renew(policy, lease, endsMicros, holds),
                answers);
    }

    private boolean[] renewWithout(String policy, Duration lease, long endsMicros, List<PlacedHold> holds) {
        boolean[] held = new boolean[holds.size()];
        for (int i = 0; i < held.length; i++) {
            held[i] = here.renewWithout(policy, lease, endsMicros, holds.get(i));
        }
        redisState.requireSync();
        return held;
    }

    @Override
    public CompletionStage<List<Released>> release(String policy, List<PlacedHold> holds) {
        List<Released> known = holds.stream().map(here::remove).toList();
        if (!holds.stream().allMatch(this::goesOn)) {
            return redis.release(policy, holds);
        }
        if (!redisState.isAvailable()) {
            return CompletableFuture.completedFuture(known);
        }
        // What comes late matters not: it is given back once more, which does nothing.
        TimedCalls.Answers<List<Released>> answers = new TimedCalls.Answers<>() {
            @Override
            public List<Released> inTime(List<Released> said) {
                // What was taken without Redis may be held here only.
                return IntStream.range(0, said.size())
                        .mapToObj(i -> new Released(
                                holds.get(i),
                                said.get(i).wasHeld()
                                        ? said.get(i).permits()
                                        : known.get(i).permits()))
                        .toList();
            }

            @Override
            public List<Released> instead(LimiterException problem) {
                return known.stream()
                        .map(one -> new Released(one.hold(), one.permits(), true))
                        .toList();
            }
        };
        PlacedHold first = holds.get(0);
        return calls.call(
                "release",
                first.places().get(0),
                of(first.fallback()).budget(timeout),
                () -> redis.release(policy, holds),
                answers);
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return redis.reset(policy, place).whenComplete((any, problem) -> {
            if (problem == null) {
                here.reset(place);
            }
        });
    }

    private static <T> CompletionStage<T> now(Supplier<T> answer) {
        try {
            return CompletableFuture.completedFuture(answer.get());
        } catch (CompletionException e) {
            return CompletableFuture.failedFuture(Causes.of(e));
        }
    }
}
