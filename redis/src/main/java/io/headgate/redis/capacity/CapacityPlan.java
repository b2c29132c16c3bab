package io.headgate.redis.capacity;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Bounds;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.limits.internal.leases.LeasedPermits;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.RuleArgument;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * An estimate of what policies need in Redis: keys, memory, commands and bytes on the wire. Computed from the stored layouts and the
 * calls. Immutable.
 *
 * <pre>{@code
 * CapacityPlan plan = CapacityPlan.builder()
 *         .policy(Policy.of("api", Limit.slidingWindow(100, Duration.ofMinutes(1)), "user"))
 *         .ids("user", 100_000)
 *         .requestsPerSecond(5_000)
 *         .build();
 * long bytes = plan.peakBytes();
 * }</pre>
 *
 * <p>Assumptions: each policy receives the given rate of requests, for one permit each. Ids send requests equally often, at random
 * times. A policy admits what its strictest rule does. A leased policy makes the calls of leases where ids ask often enough, and needs
 * the memory of a policy without leases. At the peak, every id has a key and a full window. Clients that are denied a hold do not retry,
 * and every hold is released. Memory is that of the keys in Redis 6.2 to 8.0 with jemalloc, of the build that takes more unless {@link
 * Builder#mallocStats} names one. {@code docs/decisions/0022-capacity-plans.md} describes the models.
 *
 * @param rules each rule of each policy, in their order
 * @param requestIds of each policy, in their order, what its requests that have an id take beside that; none where none has
 * @param inFlight each policy of in-flight limits, in their order
 * @param quantumBytes how far apart the small sizes are that memory is allocated in: 8 or 16 bytes
 * @param peakTableBytes what the tables of Redis's dictionaries take beside the keys, at the peak
 * @param averageTableBytes the same, on average
 * @param roundTripsPerSecond one for each decision of all policies, but for those that are made from leases; and what holds take
 * @param commandsPerSecond that Redis runs: script calls, and all that scripts call
 * @param bytesInPerSecond sent to Redis, without what TCP and TLS add
 * @param bytesOutPerSecond replied by it
 */
public record CapacityPlan(
        List<RuleCapacity> rules,
        List<RequestIdCapacity> requestIds,
        List<InFlightCapacity> inFlight,
        int quantumBytes,
        long peakTableBytes,
        long averageTableBytes,
        double roundTripsPerSecond,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {

    /** The most ids of a dimension, and the most keys of a rule. */
    public static final long MAX_IDS = PlannedIds.MAX_IDS;

    /** The most requests a second. */
    public static final double MAX_REQUESTS_PER_SECOND = 1e9;

    /** At the most of a set of ids in an instance in each lease, for permits and for what is given back. */
    private static final int CALLS_OF_A_LEASE = 4;

    private static final Duration SHORTEST_HELD = Duration.ofMillis(1);

    /** EVALSHA itself, and the TIME that each script calls once. */
    private static final int CALLS_OF_A_SCRIPT = 2;

    private static final int TIME_IN_REPLY = 7;

    /** Keeps the rules as they are. */
    public CapacityPlan {
        rules = List.copyOf(rules);
        requestIds = List.copyOf(requestIds);
        inFlight = List.copyOf(inFlight);
    }

    /** Begins a plan. */
    public static Builder builder() {
        return new Builder();
    }

    /** Keys when each id of each rule has one. */
    public long peakKeys() {
        return allRules().mapToLong(RuleCapacity::peakKeys).sum() + Math.round(keysOfRequestIds());
    }

    private double keysOfRequestIds() {
        return sum(requestIds, RequestIdCapacity::keys);
    }

    /** Memory of all keys when every window is full, in bytes. */
    public long peakBytes() {
        return allRules().mapToLong(RuleCapacity::peakBytes).sum()
                + Math.round(sum(requestIds, RequestIdCapacity::bytes))
                + peakTableBytes;
    }

    /** Keys at the given rate. */
    public double averageKeys() {
        return sum(allRules().toList(), RuleCapacity::averageKeys) + keysOfRequestIds();
    }

    /** Memory of all keys at the given rate, in bytes. */
    public double averageBytes() {
        return sum(allRules().toList(), RuleCapacity::averageBytes)
                + sum(requestIds, RequestIdCapacity::bytes)
                + averageTableBytes;
    }

    private Stream<RuleCapacity> allRules() {
        return Stream.concat(rules.stream(), ofHolds(inFlight));
    }

    private static Stream<RuleCapacity> ofHolds(List<InFlightCapacity> inFlight) {
        return inFlight.stream().flatMap(policy -> policy.rules().stream());
    }

    private static <T> double sum(List<T> all, ToDoubleFunction<T> part) {
        return all.stream().mapToDouble(part).sum();
    }

    /** Collects what a plan is made of. Not safe for use by several threads. */
    public static final class Builder {

        private final List<Policy> policies = new ArrayList<>();
        private final Map<InFlightPolicy, Duration> inFlight = new LinkedHashMap<>();
        private final PlannedIds ids = new PlannedIds();
        private double rate = 1000;
        private int instances = 1;
        private RequestIdLoad requestIds = RequestIdLoad.NONE;
        private String keyPrefix = "hg";
        private Keys keys = new Keys(keyPrefix);
        private RedisAllocation memory = new RedisAllocation(RedisAllocation.LARGER_QUANTUM);

        private Builder() {}

        /** Plans this policy, too. */
        public Builder policy(Policy policy) {
            policies.add(policy);
            return this;
        }

        /**
         * Plans this policy of in-flight limits, too.
         *
         * @param held how long a hold is held until it is given back, on average: 1 millisecond to 366 days
         */
        public Builder inFlight(InFlightPolicy policy, Duration held) {
            inFlight.put(policy, Bounds.wholeMillis("how long a hold is held", held, SHORTEST_HELD, Bounds.MAX_WINDOW));
            return this;
        }

        /** So many different values of a dimension: 1 to 10^11; each dimension of a policy must be told. */
        public Builder ids(String dimension, long count) {
            return ids(List.of(dimension), count);
        }

        /** So many different keys of the rules by these dimensions, in this order, instead of every combination. */
        public Builder ids(List<String> dimensions, long count) {
            ids.count(dimensions, count);
            return this;
        }

        /** How long ids are in a key, where no length of their dimension is told: 1 to 10 000 characters; 16 by default. */
        public Builder idLength(int characters) {
            ids.length(characters);
            return this;
        }

        /** How long the ids of a dimension are in a key: 1 to 10 000 characters. */
        public Builder idLength(String dimension, int characters) {
            ids.length(dimension, characters);
            return this;
        }

        /** How many requests a second each policy is asked: more than 0, up to 10^9; 1000 by default. */
        public Builder requestsPerSecond(double perSecond) {
            if (!(perSecond > 0 && perSecond <= MAX_REQUESTS_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "requests a second must be more than 0 and at most 1000000000, were " + perSecond);
            }
            this.rate = perSecond;
            return this;
        }

        /** Which share of the ids makes all requests: more than 0, up to 1; 1 by default. */
        public Builder activeShare(double share) {
            ids.activeShare(share);
            return this;
        }

        /**
         * How many instances share the requests, each as many: 1 to 100 000; 1 by default. It matters for policies that are leased, as
         * each instance leases by itself.
         */
        public Builder instances(int count) {
            this.instances = (int) Bounds.inRange("instances", count, 1, 100_000);
            return this;
        }

        /**
         * Requests that have an id; none by default.
         *
         * @param share of all requests: more than 0, up to 1
         * @param length of an id, such as 36 of a UUID: 1 to 128 characters
         * @param horizon how long answers are kept: 1 second to 1 day; see {@link RedisLimitEngine.Builder#requestIdHorizon}
         */
        public Builder requestIds(double share, int length, Duration horizon) {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        "share of requests with an id must be more than 0 and at most 1, was " + share);
            }
            Bounds.inRange("length of request ids", length, 1, 128);
            this.requestIds = new RequestIdLoad(share, PlannedIds.inKey(length), Bounds.requestIdHorizon(horizon));
            return this;
        }

        /** What keys begin with; {@code hg} by default. See {@link io.headgate.redis.RedisSettings#withKeyPrefix}. */
        public Builder keyPrefix(String prefix) {
            this.keys = new Keys(prefix);
            this.keyPrefix = prefix;
            return this;
        }

        /**
         * How the Redis that is planned for allocates memory, as its reply to {@code MEMORY MALLOC-STATS} says; a reply that
         * doesn't say changes nothing. By default, small sizes are 16 bytes apart, as in most distributions' Redis. The
         * one that Redis builds itself has them 8 bytes apart, and takes up to 18 % less for a small key.
         */
        public Builder mallocStats(String reply) {
            RedisAllocation.quantumBytes(reply).ifPresent(bytes -> this.memory = new RedisAllocation(bytes));
            return this;
        }

        /**
         * The plan.
         *
         * @throws IllegalArgumentException when there is no policy, or when the ids of a dimension are not told
         */
        public CapacityPlan build() {
            Bounds.inRange("number of policies", policies.size() + inFlight.size(), 1, Integer.MAX_VALUE);
            List<RuleCapacity> rules = new ArrayList<>();
            List<RequestIdCapacity> withIds = new ArrayList<>();
            double in = 0;
            double out = 0;
            double calls = 0;
            for (Policy policy : policies) {
                List<RuleCapacity> ofPolicy = rules(policy);
                rules.addAll(ofPolicy);
                if (requestIds.share() > 0) {
                    withIds.add(requestIds.of(policy, keys.idStem(policy), rate, chargedShare(policy), memory));
                }
                int count = ofPolicy.size();
                // The rules have told the bytes of their own.
                int limits = policy.rules().stream()
                        .mapToInt(rule -> RuleArgument.size(rule.limit()))
                        .sum();
                double called = callsPerSecond(policy);
                calls += called;
                in += called * (RespSize.evalsha(count, 1) + RespSize.bulk(limits) - limits);
                int reply = TIME_IN_REPLY
                        + policy.rules().stream()
                                .mapToInt(rule -> RuleLoad.replyBytes(rule.limit()))
                                .sum();
                out += called * (RespSize.bulk(reply) - reply + TIME_IN_REPLY);
            }
            double idKeys = sum(withIds, RequestIdCapacity::keys);
            List<InFlightCapacity> held = held();
            List<RuleCapacity> all =
                    Stream.concat(rules.stream(), ofHolds(held)).toList();
            return new CapacityPlan(
                    rules,
                    withIds,
                    held,
                    memory.quantumBytes(),
                    memory.tables(sum(all, RuleCapacity::peakKeys) + idKeys),
                    memory.tables(sum(all, RuleCapacity::averageKeys) + idKeys),
                    calls + sum(held, InFlightCapacity::roundTripsPerSecond),
                    calls * CALLS_OF_A_SCRIPT
                            + sum(rules, RuleCapacity::commandsPerSecond)
                            + sum(withIds, RequestIdCapacity::commandsPerSecond)
                            + sum(held, InFlightCapacity::commandsPerSecond),
                    in
                            + sum(rules, RuleCapacity::bytesInPerSecond)
                            + sum(withIds, RequestIdCapacity::bytesInPerSecond)
                            + sum(held, InFlightCapacity::bytesInPerSecond),
                    out
                            + sum(rules, RuleCapacity::bytesOutPerSecond)
                            + sum(withIds, RequestIdCapacity::bytesOutPerSecond)
                            + sum(held, InFlightCapacity::bytesOutPerSecond));
        }

        private List<InFlightCapacity> held() {
            InFlightLoads loads = new InFlightLoads(keyPrefix, ids, rate, instances, memory);
            return inFlight.entrySet().stream()
                    .map(policy -> loads.of(policy.getKey(), policy.getValue()))
                    .toList();
        }

        /**
         * A call for each request; but where ids are asked for often enough to be leased, some for each lease of theirs, and for the
         * requests that have an id.
         */
        private double callsPerSecond(Policy policy) {
            if (policy.lease().isEmpty()) {
                return rate;
            }
            double leaseSeconds = Sustained.seconds(policy.lease().get());
            double leasing = idSets(policy) * instances;
            return rate / leasing * leaseSeconds < LeasedPermits.MIN_PERMITS
                    ? rate
                    : Math.min(rate, rate * requestIds.share() + leasing * CALLS_OF_A_LEASE / leaseSeconds);
        }

        /** How many sets of ids ask: every combination where those of each dimension are told, else as many as a rule has keys at the most. */
        private double idSets(Policy policy) {
            double sets = 1;
            for (String dimension : policy.dimensions()) {
                OptionalLong one = ids.of(dimension);
                sets = one.isEmpty() ? Double.NaN : sets * one.getAsLong();
            }
            double most = policy.rules().stream().mapToDouble(this::count).max().orElse(1);
            return Math.max(1, ids.activeShare() * (Double.isNaN(sets) ? most : Math.max(most, sets)));
        }

        private double admittedShare(Policy policy) {
            return policy.rules().stream()
                    .filter(rule -> !rule.shadow())
                    .mapToDouble(rule -> RuleLoad.admittedShare(rule, asksPerSecond(rule)))
                    .min()
                    .orElse(1);
        }

        /** Of the requests, those that charge any rule. */
        private double chargedShare(Policy policy) {
            double admitted = admittedShare(policy);
            return policy.rules().stream()
                    .mapToDouble(rule -> RuleLoad.chargedShare(rule, asksPerSecond(rule), admitted))
                    .max()
                    .orElse(admitted);
        }

        private List<RuleCapacity> rules(Policy policy) {
            double admitted = admittedShare(policy);
            return policy.rules().stream()
                    .map(rule -> rule(policy, rule, admitted))
                    .toList();
        }

        private RuleCapacity rule(Policy policy, Rule rule, double admitted) {
            int keyLength = keys.stem(policy, rule).length() + ids.length(rule.dimensions());
            double asks = asksPerSecond(rule);
            double calls = callsPerSecond(policy);
            RuleLoad load = RuleLoad.of(rule, keyLength, asks, admitted, memory);
            long count = count(rule);
            double alive = active(rule) * load.aliveShare();
            return new RuleCapacity(
                    policy.name(),
                    rule.name(),
                    count,
                    Math.multiplyExact(count, load.keyBytes()),
                    alive,
                    alive * load.aliveBytes(),
                    RuleLoad.admittedShare(rule, asks),
                    calls * load.callsPerRequest(),
                    calls * (RespSize.bulk(keyLength) + RuleArgument.size(rule.limit())),
                    calls * RuleLoad.replyBytes(rule.limit()));
        }

        private double asksPerSecond(Rule rule) {
            return rate / active(rule);
        }

        private double active(Rule rule) {
            return ids.asking(rule.name(), rule.dimensions());
        }

        private long count(Rule rule) {
            return ids.keys(rule.name(), rule.dimensions());
        }
    }
}
