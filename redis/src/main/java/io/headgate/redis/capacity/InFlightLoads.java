package io.headgate.redis.capacity;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.capacity.CollectionAllocation.Entries;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.limits.internal.inflight.HoldSizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Computes the load of policies of in-flight limits, for requests of one permit.
 *
 * <p>Each key of a rule follows {@linkplain ErlangLoss Erlang's loss formula}. If a policy has several rules, requests that one of them
 * denies do not load the others. The loads are computed one after the other, repeatedly, until they agree (reduced load approximation,
 * F. P. Kelly).
 *
 * @param keyPrefix the prefix of keys
 * @param perSecond requests per second of each policy
 * @param instances the number of instances that share these requests
 */
record InFlightLoads(String keyPrefix, PlannedIds ids, double perSecond, int instances, RedisAllocation memory) {

    /** EVALSHA and TIME. */
    private static final int COMMANDS_PER_CALL = 2;

    /** The commands of each request, for each rule: ZCOUNT, ZRANGEBYSCORE and ZSCORE. */
    private static final int COMMANDS_TO_DECIDE = 3;

    /** The commands of a granted hold, in addition: ZCARD, ZADD and PTTL. */
    private static final int COMMANDS_TO_TAKE = 3;

    /** ZSCORE, ZREM and PUBLISH. */
    private static final int COMMANDS_TO_RELEASE = 3;

    /** ZSCORE and ZADD for each hold; in addition, PTTL for each key. */
    private static final int COMMANDS_TO_RENEW = 2;

    /** The minimum time between two changes of the expiry of a key. */
    private static final double EXPIRY_KEPT_SECONDS = 60;

    private static final int ITERATIONS = 50;

    /** The maximum number of permits, over all rules, that one call renews. */
    private static final int RENEWED_BY_A_CALL = 500;

    InFlightCapacity of(InFlightPolicy policy, Duration held) {
        Lifetime lifetime = Lifetime.of(policy, Micros.of(held) / 1e6);
        List<ErlangLoss> losses = losses(policy, lifetime.seconds());
        double admitted = losses.stream().mapToDouble(loss -> 1 - loss.denied()).reduce(1, (one, other) -> one * other);
        double taken = perSecond * admitted;
        Renewals renewals = Renewals.of(policy, taken * lifetime.renewals(), instances);

        HoldSizes sizes = new HoldSizes(keyPrefix, policy);
        List<RuleCapacity> rules = new ArrayList<>();
        int distinctKeys = 0;
        for (int i = 0; i < losses.size(); i++) {
            InFlightRule rule = policy.rules().get(i);
            double distinct = renewals.distinct(activeKeys(rule));
            distinctKeys += (int) Math.round(distinct);
            rules.add(rule(policy, rule, losses.get(i), taken, lifetime.seconds(), renewals, distinct, sizes));
        }
        int renewed = (int) Math.round(renewals.holdsOfACall() * rules.size());
        double calls = perSecond + taken + renewals.calls();
        return new InFlightCapacity(
                policy.name(),
                rules,
                admitted,
                taken * lifetime.seconds(),
                perSecond,
                taken,
                renewals.holds(),
                renewals.calls(),
                calls * COMMANDS_PER_CALL
                        + rules.stream()
                                .mapToDouble(RuleCapacity::commandsPerSecond)
                                .sum(),
                perSecond * sizes.acquire()
                        + taken * sizes.release()
                        + renewals.calls() * sizes.renewal(Math.max(1, distinctKeys))
                        + rules.stream()
                                .mapToDouble(RuleCapacity::bytesInPerSecond)
                                .sum(),
                perSecond * sizes.acquireReply()
                        + taken * sizes.releaseReply()
                        + renewals.calls() * sizes.renewalReply(Math.max(1, renewed))
                        + rules.stream()
                                .mapToDouble(RuleCapacity::bytesOutPerSecond)
                                .sum());
    }

    private List<ErlangLoss> losses(InFlightPolicy policy, double seconds) {
        int count = policy.rules().size();
        double[] admits = new double[count];
        Arrays.fill(admits, 1);
        ErlangLoss[] losses = new ErlangLoss[count];
        for (int iteration = 0; iteration < (count == 1 ? 1 : ITERATIONS); iteration++) {
            for (int i = 0; i < count; i++) {
                double byOthers = 1;
                for (int other = 0; other < count; other++) {
                    byOthers *= other == i ? 1 : admits[other];
                }
                losses[i] = loss(policy.rules().get(i), byOthers, seconds);
                admits[i] = 1 - losses[i].denied();
            }
        }
        return List.of(losses);
    }

    /** The load of one key of a rule that receives this share of the requests. */
    private ErlangLoss loss(InFlightRule rule, double share, double seconds) {
        return new ErlangLoss(perSecond * share * seconds / activeKeys(rule), (int) rule.permits());
    }

    private double activeKeys(InFlightRule rule) {
        return ids.activeKeys(rule.name(), rule.dimensions());
    }

    private RuleCapacity rule(
            InFlightPolicy policy,
            InFlightRule rule,
            ErlangLoss loss,
            double taken,
            double seconds,
            Renewals renewals,
            double distinct,
            HoldSizes sizes) {
        int keyLength = sizes.key(rule, ids.length(rule.dimensions()));
        long key = memory.key(keyLength);
        long keys = rule.permits() == 0 ? 0 : ids.keys(rule.name(), rule.dimensions());
        double active = rule.permits() == 0 ? 0 : activeKeys(rule);
        double alive = active * (1 - loss.share(0));
        // The first hold sets the expiry of a key, and later ones about once a minute. First holds are those of
        // admitted requests that find no other hold. The lower bound avoids a division by zero.
        double first = taken == 0 ? 0 : taken * loss.share(0) / Math.max(1 - loss.denied(), taken * 1e-12);
        double again = Math.min(taken - Math.min(taken, first), alive / EXPIRY_KEPT_SECONDS);
        long full = Math.round(new CollectionAllocation(memory).sortedSet(permits(rule.permits())));
        return new RuleCapacity(
                policy.name(),
                rule.name(),
                keys,
                Math.multiplyExact(keys, key + full),
                alive,
                alive * (double) key + active * loss.mean(held -> bytes(held, loss.most())),
                1 - loss(rule, 1, seconds).denied(),
                perSecond * COMMANDS_TO_DECIDE
                        + taken * (COMMANDS_TO_TAKE + COMMANDS_TO_RELEASE)
                        + first
                        + again
                        + renewals.holds() * COMMANDS_TO_RENEW
                        + renewals.calls() * distinct,
                (perSecond + taken) * RespSize.bulk(keyLength)
                        + taken * RespSize.bulk(HoldSizes.MEMBER)
                        + renewals.calls()
                                * distinct
                                * (RespSize.bulk(keyLength) + RespSize.bulk(renewals.bytesOfAKey(distinct))),
                perSecond * HoldSizes.ACQUIRE_REPLY_OF_A_RULE + taken + renewals.holds());
    }

    /** The bytes of the sorted set of a key. Once it has the large encoding, it keeps it until nothing is held. */
    private double bytes(int held, int most) {
        CollectionAllocation sets = new CollectionAllocation(memory);
        return held > 0 && most > CollectionAllocation.MAX_SMALL_MEMBERS
                ? sets.largeSortedSet(permits(held), most)
                : sets.sortedSet(permits(held));
    }

    private static List<Entries> permits(long held) {
        return List.of(Entries.members((double) held, HoldSizes.MEMBER));
    }

    /**
     * The lifetime of holds.
     *
     * @param seconds the mean lifetime
     * @param renewals the mean number of renewals of a hold
     */
    private record Lifetime(double seconds, double renewals) {

        /**
         * Assumes that lifetimes are exponentially distributed with this mean, and that {@code atMost} cuts them off. Every third of a
         * lease, an engine renews the holds that are older than a sixth of the lease. So the mean number of renewals of a hold is its
         * lifetime after the first sixth of a lease, divided by a third of a lease.
         */
        static Lifetime of(InFlightPolicy policy, double mean) {
            double lease = Micros.of(policy.lease()) / 1e6;
            double beyond = policy.atMost()
                    .map(longest -> Math.exp(-(Micros.of(longest) / 1e6) / mean))
                    .orElse(0.0);
            return new Lifetime(mean * (1 - beyond), mean * (Math.exp(-lease / 6 / mean) - beyond) / (lease / 3));
        }
    }

    /**
     * The renewals of leases.
     *
     * @param holds renewed holds per second
     * @param calls calls per second that renew holds
     */
    private record Renewals(double holds, double calls) {

        static Renewals of(InFlightPolicy policy, double holds, int instances) {
            double rounds = instances * 3 / (Micros.of(policy.lease()) / 1e6);
            double holdsPerRound = holds / rounds;
            double shareWithHolds = 1 - Math.exp(-holdsPerRound);
            int maxHoldsPerCall = Math.max(1, RENEWED_BY_A_CALL / policy.rules().size());
            // Less 1e-9, so that a rounding error does not add a call.
            double callsPerRound = Math.max(1, Math.ceil(holdsPerRound / maxHoldsPerCall - 1e-9));
            return new Renewals(holds, rounds * shareWithHolds * callsPerRound);
        }

        double holdsOfACall() {
            return calls > 0 ? holds / calls : 0;
        }

        /** The mean number of distinct keys in a renewing call. */
        double distinct(double keys) {
            return Math.max(1, keys * (1 - Math.pow(1 - 1 / Math.max(1, keys), holdsOfACall())));
        }

        int bytesOfAKey(double distinct) {
            return (int) Math.round(HoldSizes.MEMBER * holdsOfACall() / distinct);
        }
    }
}
