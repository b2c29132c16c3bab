package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import io.headgate.redis.internal.LettuceExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What an engine has leased: limiters of the same policy spend the same leases. */
final class LeasedPolicies {

    private final LettuceExecutor executor;
    private final Notices notices;
    private final boolean sweepsItself;
    private final Map<Policy, Leases> leases = new ConcurrentHashMap<>();

    /** None yet. */
    LeasedPolicies(LettuceExecutor executor, Notices notices, boolean sweepsItself) {
        this.executor = executor;
        this.notices = notices;
        this.sweepsItself = sweepsItself;
    }

    /** Those of a policy; null when it is not leased. */
    @Nullable
    Leases of(PolicyPlanner planner) {
        Policy policy = planner.policy();
        return policy.lease().isEmpty()
                ? null
                : leases.computeIfAbsent(
                        policy,
                        any -> new Leases(
                                planner,
                                policy.lease().get(),
                                executor,
                                notices::freed,
                                executor.threads(),
                                sweepsItself));
    }

    /** A limiter has gone on with another policy of that name: what was leased under this one is given back. */
    void end(Policy policy) {
        Leases ended = leases.remove(policy);
        if (ended != null) {
            ended.end();
        }
    }

    /** Gives back what was not spent in time; for tests. */
    void sweep() {
        leases.values().forEach(Leases::sweep);
    }

    /** Of how many ids something is leased, or may be. */
    int ids() {
        return leases.values().stream().mapToInt(Leases::ids).sum();
    }

    /** Gives all back, and waits for that as long as told. What is not given back by then counts as if it had been spent. */
    void close(Duration atMost) {
        CompletableFuture<?> all =
                CompletableFuture.allOf(Stream.of(leases.values().toArray(Leases[]::new))
                        .map(Leases::end)
                        .toArray(CompletableFuture[]::new));
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
