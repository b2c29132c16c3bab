package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.internal.Sweeper;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this process has leased under one policy: for ids that are asked for often a slice of their permits, which is spent here. */
final class Leases {

    static final int MAX_SLICES = 10_000;
    private static final int MAX_ID_LENGTH = 128;

    private final PolicyPlanner planner;
    private final PolicyCalls calls;
    private final RefundListener refundListener;
    private final long leaseMicros;
    private final List<String> dimensions;
    private final Demand demand;
    private final Sweeper sweeper;
    private final boolean sweepsItself;
    private final Map<Object, Slice> slices = new ConcurrentHashMap<>();
    private final GiveBacks givingBack = new GiveBacks();
    private final Set<Leases> inUse;
    private volatile boolean ended;

    /**
     * None yet.
     *
     * @param planner of a policy that is leased
     * @param refundListener is notified of unspent permits that were refunded
     * @param inUse has it as long as there is anything leased, or may be
     * @param sweepsItself whether what is not spent in time is given back without being told to
     */
    Leases(
            PolicyPlanner planner,
            Duration lease,
            PolicyCalls calls,
            RefundListener refundListener,
            Set<Leases> inUse,
            EventExecutorGroup threads,
            boolean sweepsItself) {
        this.planner = planner;
        this.calls = calls;
        this.refundListener = refundListener;
        this.inUse = inUse;
        this.leaseMicros = Micros.of(lease);
        this.dimensions = List.copyOf(planner.policy().dimensions());
        this.demand = new Demand(leaseMicros);
        this.sweeper = new Sweeper(lease.dividedBy(8), threads, this::sweep, () -> !slices.isEmpty());
        this.sweepsItself = sweepsItself;
    }

    /** Answers a request from what is leased; null when it must be sent. */
    @Nullable
    Decision spend(Attributes attributes, long permits, long nowMicros) {
        if (slices.isEmpty()) {
            return null;
        }
        Object key = key(attributes);
        Slice slice = key == null ? null : slices.get(key);
        return slice == null ? null : slice.spend(permits, nowMicros);
    }

    /** Takes note of a request that was sent; whose permits are asked for often is worth a lease. */
    void sent(Ask ask) {
        Object key = key(ask.attributes());
        long asked = key == null ? 0 : demand.add(key, ask.permits(), ask.askedMicros());
        if (key == null || asked < Slice.LEAST_PERMITS) {
            return;
        }
        Slice slice = slice(key, ask.attributes());
        if (slice != null) {
            ask.thenAccept(decision -> slice.learn(decision, asked, planner.localMicros()));
        }
    }

    private @Nullable Slice slice(Object key, Attributes attributes) {
        Slice known = slices.get(key);
        if (known != null || ended || slices.size() >= MAX_SLICES) {
            return known;
        }
        Attributes own = OwnAttributes.of(attributes, dimensions, MAX_ID_LENGTH);
        if (own == null) {
            return null;
        }
        Slice slice = slices.computeIfAbsent(key, any -> new Slice(this, own, leaseMicros, planner.localMicros()));
        inUse.add(this);
        if (sweepsItself) {
            sweeper.run();
        }
        return slice;
    }

    /** The value of the only dimension of the policy, or those of all; null when one is missing, of which who sends the request is told. */
    private @Nullable Object key(Attributes attributes) {
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

    /** Asks for permits, and tells the slice what came of it. */
    void lease(Slice slice, long permits) {
        Ask ask = planner.ask(slice.attributes(), permits, planner.localMicros());
        calls.acquire(ask).whenComplete((decision, problem) -> slice.leased(ask, decision, planner.localMicros()));
    }

    /**
     * Takes back what will not be spent of a charge. When that fails, it counts as if it had been spent.
     *
     * @param charged of how many permits it is the last ones
     */
    void giveBack(Attributes attributes, Decision unspent, long charged) {
        Map<Rule, Charge> charges = Charge.of(planner.policy(), unspent);
        charges.replaceAll((rule, charge) -> charge.surelyLeft(rule.limit(), charged));
        givingBack.add(() -> {
            CompletableFuture<Long> answer = planner.denials()
                    .whileTakingBack(
                            charges.keySet(),
                            attributes,
                            () -> calls.refund(planner, attributes, charges, OptionalLong.empty()));
            answer.thenAccept(permits -> refundListener.refunded(planner, charges.keySet(), attributes, permits));
            return answer;
        });
    }

    /** Gives back what was not spent in time, or is not asked for any more. */
    void sweep() {
        long nowMicros = planner.localMicros();
        slices.values().removeIf(slice -> slice.isIdleAfterSweep(nowMicros));
        if (slices.isEmpty()) {
            inUse.remove(this);
            if (!slices.isEmpty()) {
                // There is one again since.
                inUse.add(this);
            }
        }
    }

    /** Of how many ids something is leased, or may be. */
    int ids() {
        return slices.size();
    }

    /** What a rule has counted of these ids is forgotten, and what was leased of it with that. */
    void forget(Rule rule, Attributes attributes) {
        List<String> forgotten = attributes.idsOf(rule);
        slices.values().removeIf(slice -> {
            boolean isOfThem = slice.attributes().idsOf(rule).equals(forgotten);
            if (isOfThem) {
                slice.forget();
            }
            return isOfThem;
        });
    }

    /** Leases no more, and gives back all that is left; done when Redis has it, or can't be told. */
    CompletableFuture<Void> end() {
        ended = true;
        slices.values().removeIf(slice -> {
            slice.end();
            return true;
        });
        inUse.remove(this);
        return givingBack.none();
    }

    /** Whether it leases no more. */
    boolean isEnded() {
        return ended;
    }
}
