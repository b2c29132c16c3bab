package io.headgate.redis.capacity;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.capacity.CollectionAllocation.Alike;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.limits.internal.inflight.HoldSizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Plans policies of in-flight limits, for requests of one permit.
 *
 * <p>Each key of a rule follows {@linkplain ErlangLoss Erlang's loss formula}. If a policy has several rules, requests that one of them
 * denies do not load the others. Their loads are computed in turn until they agree (reduced load approximation, F. P. Kelly).
 *
 * @param keyPrefix the prefix of keys
 * @param perSecond requests of each policy
 * @param instances the instances that share them
 */
record InFlightLoads(String keyPrefix, PlannedIds ids, double perSecond, int instances, RedisAllocation memory) {

    /** EVALSHA and TIME. */
    private static final int CALLS_OF_A_SCRIPT = 2;

    /** ZCOUNT, ZRANGEBYSCORE and ZSCORE; then, if it grants the hold, ZCARD, ZADD and PTTL. */
    private static final int TO_LOOK = 3;

    private static final int TO_TAKE = 3;

    /** ZSCORE, ZREM and PUBLISH. */
    private static final int TO_RELEASE = 3;

    /** ZSCORE and ZADD; and for each key PTTL. */
    private static final int TO_RENEW = 2;

    /** The least time for which a key keeps its expiry: a minute, less the jitter. */
    private static final double EXPIRY_STAYS_SECONDS = 60;

    private static final int TURNS = 50;

    /** The most permits of all rules together that one call renews. */
    private static final int RENEWED_BY_A_CALL = 500;

    InFlightCapacity of(InFlightPolicy policy, Duration held) {
        Lasting lasting = Lasting.of(policy, Micros.of(held) / 1e6);
        List<ErlangLoss> losses = losses(policy, lasting.seconds());
        double admitted = losses.stream().mapToDouble(loss -> 1 - loss.denied()).reduce(1, (one, other) -> one * other);
        double taken = perSecond * admitted;
        Renewing renewing = Renewing.of(policy, taken * lasting.renewals(), instances);

        HoldSizes sizes = new HoldSizes(keyPrefix, policy);
        List<RuleCapacity> rules = new ArrayList<>();
        int distinctKeys = 0;
        for (int i = 0; i < losses.size(); i++) {
            InFlightRule rule = policy.rules().get(i);
            double distinct = renewing.distinct(asking(rule));
            distinctKeys += (int) Math.round(distinct);
            rules.add(rule(policy, rule, losses.get(i), taken, lasting.seconds(), renewing, distinct, sizes));
        }
        int renewed = (int) Math.round(renewing.holdsOfACall() * rules.size());
        double calls = perSecond + taken + renewing.calls();
        return new InFlightCapacity(
                policy.name(),
                rules,
                admitted,
                taken * lasting.seconds(),
                perSecond,
                taken,
                renewing.holds(),
                renewing.calls(),
                calls * CALLS_OF_A_SCRIPT
                        + rules.stream()
                                .mapToDouble(RuleCapacity::commandsPerSecond)
                                .sum(),
                perSecond * sizes.take()
                        + taken * sizes.release()
                        + renewing.calls() * sizes.renewal(Math.max(1, distinctKeys))
                        + rules.stream()
                                .mapToDouble(RuleCapacity::bytesInPerSecond)
                                .sum(),
                perSecond * sizes.takeReply()
                        + taken * sizes.releaseReply()
                        + renewing.calls() * sizes.renewalReply(Math.max(1, renewed))
                        + rules.stream()
                                .mapToDouble(RuleCapacity::bytesOutPerSecond)
                                .sum());
    }

    private List<ErlangLoss> losses(InFlightPolicy policy, double seconds) {
        int count = policy.rules().size();
        double[] admits = new double[count];
        Arrays.fill(admits, 1);
        ErlangLoss[] losses = new ErlangLoss[count];
        for (int turn = 0; turn < (count == 1 ? 1 : TURNS); turn++) {
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
        return new ErlangLoss(perSecond * share * seconds / asking(rule), (int) rule.permits());
    }

    private double asking(InFlightRule rule) {
        return ids.asking(rule.name(), rule.dimensions());
    }

    private RuleCapacity rule(
            InFlightPolicy policy,
            InFlightRule rule,
            ErlangLoss loss,
            double taken,
            double seconds,
            Renewing renewing,
            double distinct,
            HoldSizes sizes) {
        int keyLength = sizes.key(rule, ids.length(rule.dimensions()));
        long key = memory.key(keyLength);
        long keys = rule.permits() == 0 ? 0 : ids.keys(rule.name(), rule.dimensions());
        double asking = rule.permits() == 0 ? 0 : asking(rule);
        double alive = asking * (1 - loss.share(0));
        // The first hold sets the expiry of a key, and later ones about once a minute.
        double first = taken == 0 ? 0 : taken * loss.share(0) / Math.max(1 - loss.denied(), taken * 1e-12);
        double again = Math.min(taken - Math.min(taken, first), alive / EXPIRY_STAYS_SECONDS);
        long full = Math.round(new CollectionAllocation(memory).sortedSet(permits(rule.permits())));
        return new RuleCapacity(
                policy.name(),
                rule.name(),
                keys,
                Math.multiplyExact(keys, key + full),
                alive,
                alive * (double) key + asking * loss.mean(held -> bytes(held, loss.most())),
                1 - loss(rule, 1, seconds).denied(),
                perSecond * TO_LOOK
                        + taken * (TO_TAKE + TO_RELEASE)
                        + first
                        + again
                        + renewing.holds() * TO_RENEW
                        + renewing.calls() * distinct,
                (perSecond + taken) * RespSize.bulk(keyLength)
                        + taken * RespSize.bulk(HoldSizes.MEMBER)
                        + renewing.calls()
                                * distinct
                                * (RespSize.bulk(keyLength) + RespSize.bulk(renewing.bytesOfAKey(distinct))),
                perSecond * HoldSizes.TAKE_REPLY_OF_A_RULE + taken + renewing.holds());
    }

    /** The bytes of a value; a large one stays large until nothing is held. */
    private double bytes(int held, int most) {
        CollectionAllocation sets = new CollectionAllocation(memory);
        return held > 0 && most > CollectionAllocation.MAX_SMALL_MEMBERS
                ? sets.largeSortedSet(permits(held), most)
                : sets.sortedSet(permits(held));
    }

    private static List<Alike> permits(long held) {
        return List.of(Alike.members((double) held, HoldSizes.MEMBER));
    }

    /**
     * The lifetime of holds.
     *
     * @param seconds the mean
     * @param renewals the mean number of renewals of a hold
     */
    private record Lasting(double seconds, double renewals) {

        /**
         * Assumes exponential lifetimes with this mean, which {@code atMost} cuts. An engine renews, every third of the lease, holds
         * that are older than a sixth of it. A hold starts at any time between two rounds, so on average its renewals are the thirds of a
         * lease in its lifetime after the first sixth.
         */
        static Lasting of(InFlightPolicy policy, double mean) {
            double lease = Micros.of(policy.lease()) / 1e6;
            double beyond = policy.atMost()
                    .map(longest -> Math.exp(-(Micros.of(longest) / 1e6) / mean))
                    .orElse(0.0);
            return new Lasting(mean * (1 - beyond), mean * (Math.exp(-lease / 6 / mean) - beyond) / (lease / 3));
        }
    }

    /**
     * The renewals of leases.
     *
     * @param holds renewed holds per second
     * @param calls renewing calls per second
     */
    private record Renewing(double holds, double calls) {

        static Renewing of(InFlightPolicy policy, double holds, int instances) {
            double turns = instances * 3 / (Micros.of(policy.lease()) / 1e6);
            double holdsOfATurn = holds / turns;
            double least = 1 - Math.exp(-holdsOfATurn);
            int holdsOfACall = Math.max(1, RENEWED_BY_A_CALL / policy.rules().size());
            return new Renewing(holds, turns * least * Math.max(1, Math.ceil(holdsOfATurn / holdsOfACall - 1e-9)));
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
