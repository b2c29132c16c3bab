package io.headgate.redis.limits.internal.leases;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.overrides.PolicyVariants;
import io.headgate.redis.internal.connection.Sweeper;
import io.headgate.redis.limits.internal.calls.BoundedAttributes;
import io.headgate.redis.limits.internal.calls.PendingRequest;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.denials.RefundListener;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.netty.util.concurrent.EventExecutorGroup;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The permits that an engine has leased, by policy: limiters of equal policies share leases. This class has only weak references to the
 * leases of a policy, except while permits are leased. So they are dropped with the policy's last limiter. Safe for use by several threads.
 */
public final class PermitLeases {

    /** The maximum number of ids of a policy for which permits are leased. */
    static final int MAX_IDS = 10_000;

    private static final int MAX_ID_LENGTH = 128;

    private final PolicyCalls calls;
    private final EventExecutorGroup threads;
    private final RefundListener refundListener;
    private final boolean sweepsItself;
    private final Map<Policy, WeakReference<OfPolicy>> policies = new ConcurrentHashMap<>();

    /** References to leases of policies that have, or may have, leased permits, even if no limiter uses them any more. */
    private final Set<OfPolicy> inUse = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance without leases.
     *
     * @param refundListener is notified of unspent permits that were refunded
     * @param sweepsItself whether permits that were not spent in time are refunded in the background; if not, {@link #sweep} refunds them
     */
    public PermitLeases(
            PolicyCalls calls, EventExecutorGroup threads, RefundListener refundListener, boolean sweepsItself) {
        this.calls = calls;
        this.threads = threads;
        this.refundListener = refundListener;
        this.sweepsItself = sweepsItself;
    }

    /** Returns the leases of a policy; null if the policy does not lease. */
    public @Nullable OfPolicy of(PolicyPlanner planner) {
        Policy policy = planner.policy();
        if (policy.lease().isEmpty()) {
            return null;
        }
        OfPolicy known = get(policies.get(policy));
        if (known != null) {
            return known;
        }
        // Cleared references are removed whenever a policy is added.
        policies.values().removeIf(each -> each.get() == null);
        OfPolicy added = new OfPolicy(planner, policy.lease().get());
        WeakReference<OfPolicy> merged =
                policies.merge(policy, new WeakReference<>(added), (there, own) -> there.get() == null ? own : there);
        OfPolicy others = get(merged);
        return others == null ? added : others;
    }

    private static @Nullable OfPolicy get(@Nullable WeakReference<OfPolicy> reference) {
        return reference == null ? null : reference.get();
    }

    /** The number of policies with leases, including those whose limiters no longer exist. */
    public int policies() {
        return policies.size();
    }

    private List<OfPolicy> all() {
        return policies.values().stream()
                .map(WeakReference::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Ends leases that an update removes: of a policy, or of a variant with the limits of an override. Refunds their unspent permits. */
    public void end(Policy before, Policy updated) {
        all().forEach(one -> {
            Policy variant = one.planner.policy();
            if (PolicyVariants.isVariant(variant, before) && !PolicyVariants.isVariant(variant, updated)) {
                end(one);
            }
        });
    }

    private CompletableFuture<Void> end(OfPolicy one) {
        policies.values().removeIf(known -> known.refersTo(one));
        return one.end();
    }

    /** Drops the permits leased for these ids under all variants of the policy without a refund, as their counter was reset. */
    public void forget(Policy policy, Rule rule, Attributes attributes) {
        all().forEach(one -> {
            if (PolicyVariants.isVariant(one.planner.policy(), policy)) {
                one.forget(rule, attributes);
            }
        });
    }

    /** Refunds all leased permits and ends their leases; limiters then start new ones. */
    public void renew() {
        all().forEach(this::end);
    }

    /** Refunds permits that were not spent in time; for tests. */
    public void sweep() {
        all().forEach(OfPolicy::sweep);
    }

    /** The number of ids for which permits are, or may be, leased. */
    public int ids() {
        return all().stream().mapToInt(OfPolicy::size).sum();
    }

    /** Refunds all leased permits, and waits for that up to the timeout. Permits that are not refunded by then remain charged. */
    public void close(Duration timeout) {
        CompletableFuture<?> all =
                CompletableFuture.allOf(all().stream().map(OfPolicy::end).toArray(CompletableFuture[]::new));
        try {
            all.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Redis is unavailable or slow: the permits remain charged.
            return;
        }
    }

    /** The leases of one policy: permits of ids with enough demand are leased, and spent without a call. */
    public final class OfPolicy implements LeasedPermits.Source {

        private final PolicyPlanner planner;
        private final long leaseMicros;
        private final List<String> dimensions;
        private final DemandEstimate demand;
        private final Sweeper sweeper;
        private final Map<Object, LeasedPermits> byIds = new ConcurrentHashMap<>();
        private final LeaseReturns returns = new LeaseReturns();
        private volatile boolean ended;

        private OfPolicy(PolicyPlanner planner, Duration lease) {
            this.planner = planner;
            this.leaseMicros = Micros.of(lease);
            this.dimensions = List.copyOf(planner.policy().dimensions());
            this.demand = new DemandEstimate(leaseMicros);
            this.sweeper = new Sweeper(lease.dividedBy(8), threads, this::sweep, () -> !byIds.isEmpty());
        }

        /** Decides a request by leased permits; null when it must be sent. */
        public @Nullable Decision spend(Attributes attributes, long permits, long nowMicros) {
            if (byIds.isEmpty()) {
                return null;
            }
            Object ids = ids(attributes);
            LeasedPermits leased = ids == null ? null : byIds.get(ids);
            return leased == null ? null : leased.spend(permits, nowMicros);
        }

        /** Counts the demand of a request that is sent, and leases permits for its ids if their demand is high enough. */
        public void sent(PendingRequest pending) {
            AcquireRequest request = pending.request();
            Object ids = ids(request.attributes());
            long wanted = ids == null ? 0 : demand.add(ids, request.permits(), request.requestedMicros());
            if (ids == null || wanted < LeasedPermits.MIN_PERMITS) {
                return;
            }
            LeasedPermits leased = leased(ids, request.attributes());
            if (leased != null) {
                pending.thenAccept(decision -> leased.learn(decision, wanted, planner.localMicros()));
            }
        }

        private @Nullable LeasedPermits leased(Object ids, Attributes attributes) {
            LeasedPermits known = byIds.get(ids);
            if (known != null || ended || byIds.size() >= MAX_IDS) {
                return known;
            }
            Attributes own = BoundedAttributes.of(attributes, dimensions, MAX_ID_LENGTH);
            if (own == null) {
                return null;
            }
            LeasedPermits leased =
                    byIds.computeIfAbsent(ids, any -> new LeasedPermits(this, own, leaseMicros, planner.localMicros()));
            inUse.add(this);
            if (sweepsItself) {
                sweeper.run();
            }
            return leased;
        }

        /** The value of the only dimension, or the values of all; null if one is missing, so that the request fails when it is sent. */
        private @Nullable Object ids(Attributes attributes) {
            Map<String, String> values = attributes.asMap();
            if (dimensions.size() == 1) {
                return values.get(dimensions.get(0));
            }
            List<String> ids = new ArrayList<>(dimensions.size());
            for (String dimension : dimensions) {
                String id = values.get(dimension);
                if (id == null) {
                    return null;
                }
                ids.add(id);
            }
            return ids;
        }

        @Override
        public void lease(LeasedPermits leased, long permits) {
            AcquireRequest request = planner.request(leased.attributes(), permits, planner.localMicros());
            calls.acquire(planner, request)
                    .whenComplete((decision, problem) ->
                            leased.leased(request.requestedMicros(), decision, planner.localMicros()));
        }

        /** Queues the refund. If it fails, the permits remain charged, as if they had been spent. */
        @Override
        public void refund(Attributes attributes, Decision unspent, long charged) {
            Map<Rule, Charge> charges = Charge.of(planner.policy(), unspent);
            charges.replaceAll((rule, charge) -> charge.surelyLeft(rule.limit(), charged));
            returns.add(() -> {
                CompletableFuture<Long> refunded = calls.refund(planner, attributes, charges, OptionalLong.empty());
                refunded.thenAccept(permits -> refundListener.refunded(planner, charges.keySet(), attributes, permits));
                return refunded;
            });
        }

        /** Refunds permits that were not spent in time, or whose ids have no demand any more. */
        private void sweep() {
            long nowMicros = planner.localMicros();
            byIds.values().removeIf(leased -> leased.isIdleAfterSweep(nowMicros));
            if (byIds.isEmpty()) {
                inUse.remove(this);
                if (!byIds.isEmpty()) {
                    // Another thread has added one since.
                    inUse.add(this);
                }
            }
        }

        private int size() {
            return byIds.size();
        }

        private void forget(Rule rule, Attributes attributes) {
            List<String> ids = attributes.idsOf(rule);
            byIds.values().removeIf(leased -> {
                boolean matches = leased.attributes().idsOf(rule).equals(ids);
                if (matches) {
                    leased.forget();
                }
                return matches;
            });
        }

        /** Stops leasing and refunds all permits; completes when Redis has replied to all refunds. */
        private CompletableFuture<Void> end() {
            ended = true;
            byIds.values().removeIf(leased -> {
                leased.end();
                return true;
            });
            inUse.remove(this);
            return returns.whenEmpty();
        }

        /** Whether these leases have ended, so that no more permits are leased or spent. */
        public boolean isEnded() {
            return ended;
        }
    }
}
