package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import io.netty.util.concurrent.EventExecutorGroup;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What an engine has leased: limiters of the same policy spend the same leases. A policy that nobody uses any more is forgotten. */
final class LeasedPolicies {

    private final PolicyCalls calls;
    private final EventExecutorGroup threads;
    private final RefundListener refundListener;
    private final boolean sweepsItself;
    private final Map<Policy, WeakReference<Leases>> leases = new ConcurrentHashMap<>();

    /** Those of which something is leased, or may be: also when nobody has a limiter of the policy any more. */
    private final Set<Leases> inUse = ConcurrentHashMap.newKeySet();

    /** None yet. */
    LeasedPolicies(PolicyCalls calls, EventExecutorGroup threads, RefundListener refundListener, boolean sweepsItself) {
        this.calls = calls;
        this.threads = threads;
        this.refundListener = refundListener;
        this.sweepsItself = sweepsItself;
    }

    /** Those of a policy; null when it is not leased. */
    @Nullable
    Leases of(PolicyPlanner planner) {
        Policy policy = planner.policy();
        if (policy.lease().isEmpty()) {
            return null;
        }
        Leases known = alive(leases.get(policy));
        if (known != null) {
            return known;
        }
        // Such as nobody uses any more go with the next one that begins.
        leases.values().removeIf(each -> each.get() == null);
        Leases begun = begin(planner, policy.lease().get());
        WeakReference<Leases> now =
                leases.merge(policy, new WeakReference<>(begun), (there, own) -> there.get() == null ? own : there);
        Leases others = alive(now);
        return others == null ? begun : others;
    }

    private static @Nullable Leases alive(@Nullable WeakReference<Leases> known) {
        return known == null ? null : known.get();
    }

    private Leases begin(PolicyPlanner planner, Duration lease) {
        return new Leases(planner, lease, calls, refundListener, inUse, threads, sweepsItself);
    }

    /** Of how many policies anything is known. */
    int policies() {
        return leases.size();
    }

    private List<Leases> all() {
        return leases.values().stream()
                .map(WeakReference::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** A limiter has gone on with another policy of that name: what was leased under this one is given back. */
    void end(Policy policy) {
        Leases ended = alive(leases.remove(policy));
        if (ended != null) {
            ended.end();
        }
    }

    /** Gives all back, and lets limiters lease anew. */
    void renew() {
        all().forEach(one -> {
            leases.values().removeIf(known -> known.refersTo(one));
            one.end();
        });
    }

    /** Gives back what was not spent in time; for tests. */
    void sweep() {
        all().forEach(Leases::sweep);
    }

    /** Of how many ids something is leased, or may be. */
    int ids() {
        return all().stream().mapToInt(Leases::ids).sum();
    }

    /** Gives all back, and waits for that as long as told. What is not given back by then counts as if it had been spent. */
    void close(Duration atMost) {
        CompletableFuture<?> all =
                CompletableFuture.allOf(all().stream().map(Leases::end).toArray(CompletableFuture[]::new));
        try {
            all.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Redis is gone, or slow: it stays charged.
            return;
        }
    }
}
