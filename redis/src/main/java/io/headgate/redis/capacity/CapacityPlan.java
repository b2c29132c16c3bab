package io.headgate.redis.capacity;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Bounds;
import io.headgate.redis.internal.script.KeyPrefix;
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
 * An estimate of what policies need in Redis: keys, memory, commands and bytes on the wire. It is computed from the layouts of the
 * stored values and from the calls that engines make. Immutable.
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
 * <p>Assumptions: each policy receives the given rate of requests, for one permit each. Ids send requests equally often, at random times.
 * Requests are not batched, and no denial is cached, so an engine may make fewer calls than planned. A policy admits as many requests as
 * its strictest rule. If the ids of a leased policy send requests often enough, the policy makes only the calls of its leases; its memory
 * is that of a policy without leases. At the peak, every id has a key and a full window. Clients that are denied a hold do not retry, and
 * every hold is released. Memory is that of the keys in Redis 6.2 to 8.0 with jemalloc, in the build that needs the most memory unless
 * {@link Builder#mallocStats} is given. {@code docs/decisions/0022-capacity-plans.md} describes the models.
 *
 * @param rules each rule of each policy, in their order
 * @param requestIds what requests with an id need in addition, for each policy in order; empty without request ids
 * @param inFlight each policy of in-flight limits, in their order
 * @param quantumBytes the distance between the allocator's small size classes: 8 or 16 bytes
 * @param peakTableBytes the tables of Redis's dictionaries at the peak, which are not part of the keys
 * @param averageTableBytes the tables of Redis's dictionaries on average
 * @param roundTripsPerSecond one for each decision that is not made from leased permits, the calls that lease and return permits, and those
 *     for holds
 * @param commandsPerSecond script calls, and the commands that the scripts call
 * @param bytesInPerSecond sent to Redis, without the overhead of TCP and TLS
 * @param bytesOutPerSecond sent by Redis, without the overhead of TCP and TLS
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

    /** The maximum number of calls that one instance makes for a lease of one set of ids: to charge permits and to refund them. */
    private static final int CALLS_PER_LEASE = 4;

    private static final Duration MIN_HOLD_TIME = Duration.ofMillis(1);

    /** EVALSHA, and TIME, which each script calls once. */
    private static final int COMMANDS_PER_CALL = 2;

    private static final int TIME_IN_REPLY = 7;

    /** Copies the lists. */
    public CapacityPlan {
        rules = List.copyOf(rules);
        requestIds = List.copyOf(requestIds);
        inFlight = List.copyOf(inFlight);
    }

    /** Creates a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** The number of keys when each id of each rule has one, and the mean number of keys of request ids. */
    public long peakKeys() {
        return allRules().mapToLong(RuleCapacity::peakKeys).sum() + Math.round(keysOfRequestIds());
    }

    private double keysOfRequestIds() {
        return sum(requestIds, RequestIdCapacity::keys);
    }

    /** The memory of all keys and of the dictionaries' tables in bytes, when every window is full. */
    public long peakBytes() {
        return allRules().mapToLong(RuleCapacity::peakBytes).sum()
                + Math.round(sum(requestIds, RequestIdCapacity::bytes))
                + peakTableBytes;
    }

    /** The mean number of keys at the given rate. */
    public double averageKeys() {
        return sum(allRules().toList(), RuleCapacity::averageKeys) + keysOfRequestIds();
    }

    /** The mean memory of all keys and of the dictionaries' tables in bytes, at the given rate. */
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

    /** Builds a plan. Not safe for use by several threads. */
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

        /** Adds a policy. */
        public Builder policy(Policy policy) {
            policies.add(policy);
            return this;
        }

        /**
         * Adds a policy of in-flight limits.
         *
         * @param held the mean time until a hold is released: 1 millisecond to 366 days
         */
        public Builder inFlight(InFlightPolicy policy, Duration held) {
            inFlight.put(policy, Bounds.wholeMillis("how long a hold is held", held, MIN_HOLD_TIME, Bounds.MAX_WINDOW));
            return this;
        }

        /**
         * Sets the number of ids of a dimension: 1 to 10^11. Each dimension of a rule needs a number, unless {@link #ids(List, long)} sets
         * the number of keys of the rule.
         */
        public Builder ids(String dimension, long count) {
            return ids(List.of(dimension), count);
        }

        /**
         * Sets the number of keys of each rule that counts by these dimensions, in this order: 1 to 10^11. By default, it is the number of
         * all combinations of ids.
         */
        public Builder ids(List<String> dimensions, long count) {
            ids.count(dimensions, count);
            return this;
        }

        /** Sets the length of ids whose dimension has no length of its own: 1 to 10 000 characters; 16 by default. */
        public Builder idLength(int characters) {
            ids.length(characters);
            return this;
        }

        /** Sets the length of the ids of a dimension: 1 to 10 000 characters. */
        public Builder idLength(String dimension, int characters) {
            ids.length(dimension, characters);
            return this;
        }

        /** Sets the requests per second of each policy: more than 0, up to 10^9; 1000 by default. */
        public Builder requestsPerSecond(double perSecond) {
            if (!(perSecond > 0 && perSecond <= MAX_REQUESTS_PER_SECOND)) {
                throw new IllegalArgumentException(
                        "requests a second must be more than 0 and at most 1000000000, were " + perSecond);
            }
            this.rate = perSecond;
            return this;
        }

        /** Sets the share of the ids that are active; only these send requests: more than 0, up to 1; 1 by default. */
        public Builder activeShare(double share) {
            ids.activeShare(share);
            return this;
        }

        /**
         * Sets the number of instances, which share the requests equally: 1 to 100 000; 1 by default. It matters for leased policies and
         * for in-flight limits, because each instance charges and renews its own leases.
         */
        public Builder instances(int count) {
            this.instances = (int) Bounds.inRange("instances", count, 1, 100_000);
            return this;
        }

        /**
         * Sets the requests with an id; none by default.
         *
         * @param share their share of all requests: more than 0, up to 1
         * @param length the length of an id, such as 36 for a UUID: 1 to 128 characters
         * @param horizon how long decisions are kept: 1 second to 1 day; see {@link RedisLimitEngine.Builder#requestIdHorizon}
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

        /** Sets the prefix of keys; {@code hg} by default. See {@link io.headgate.redis.RedisSettings#withKeyPrefix}. */
        public Builder keyPrefix(String prefix) {
            this.keyPrefix = KeyPrefix.checked(prefix);
            this.keys = new Keys(prefix);
            return this;
        }

        /**
         * Sets the allocator of the planned Redis from its reply to {@code MEMORY MALLOC-STATS}; a reply without the quantum changes
         * nothing. By default, small size classes are 16 bytes apart, as in the Redis of most distributions. They are 8 bytes apart in a
         * Redis that was built with its own jemalloc; there, a small key needs up to 18 % less memory.
         */
        public Builder mallocStats(String reply) {
            RedisAllocation.quantumBytes(reply).ifPresent(bytes -> this.memory = new RedisAllocation(bytes));
            return this;
        }

        /**
         * Computes the plan.
         *
         * @throws IllegalArgumentException if there is no policy, or the number of keys of a rule is unknown or more than 10^11
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
                // The bytes of each limit are counted with its rule.
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
            List<InFlightCapacity> held = inFlightCapacities();
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
                    calls * COMMANDS_PER_CALL
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

        private List<InFlightCapacity> inFlightCapacities() {
            InFlightLoads loads = new InFlightLoads(keyPrefix, ids, rate, instances, memory);
            return inFlight.entrySet().stream()
                    .map(policy -> loads.of(policy.getKey(), policy.getValue()))
                    .toList();
        }

        /**
         * The script calls per second of a policy: one per request. If ids send enough requests for a lease, some calls per lease, and
         * one per request that has a request id.
         */
        private double callsPerSecond(Policy policy) {
            if (policy.lease().isEmpty()) {
                return rate;
            }
            double leaseSeconds = Sustained.seconds(policy.lease().get());
            double leasing = activeIdSets(policy) * instances;
            return rate / leasing * leaseSeconds < LeasedPermits.MIN_PERMITS
                    ? rate
                    : Math.min(rate, rate * requestIds.share() + leasing * CALLS_PER_LEASE / leaseSeconds);
        }

        /**
         * The number of sets of ids that send requests: every combination; or, if the number of ids of a dimension is not given, the keys
         * of the rule that has the most.
         */
        private double activeIdSets(Policy policy) {
            double sets = 1;
            for (String dimension : policy.dimensions()) {
                OptionalLong one = ids.of(dimension);
                sets = one.isEmpty() ? Double.NaN : sets * one.getAsLong();
            }
            double most =
                    policy.rules().stream().mapToDouble(this::keyCount).max().orElse(1);
            return Math.max(1, ids.activeShare() * (Double.isNaN(sets) ? most : Math.max(most, sets)));
        }

        private double admittedShare(Policy policy) {
            return policy.rules().stream()
                    .filter(rule -> !rule.shadow())
                    .mapToDouble(rule -> RuleLoad.admittedShare(rule, requestsPerId(rule)))
                    .min()
                    .orElse(1);
        }

        /** The share of the requests that charge at least one rule. */
        private double chargedShare(Policy policy) {
            double admitted = admittedShare(policy);
            return policy.rules().stream()
                    .mapToDouble(rule -> RuleLoad.chargedShare(rule, requestsPerId(rule), admitted))
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
            double requests = requestsPerId(rule);
            double calls = callsPerSecond(policy);
            RuleLoad load = RuleLoad.of(rule, keyLength, requests, admitted, memory);
            long count = keyCount(rule);
            double alive = activeKeys(rule) * load.aliveShare();
            return new RuleCapacity(
                    policy.name(),
                    rule.name(),
                    count,
                    Math.multiplyExact(count, load.keyBytes()),
                    alive,
                    alive * load.aliveBytes(),
                    RuleLoad.admittedShare(rule, requests),
                    calls * load.commandsPerRequest(),
                    calls * (RespSize.bulk(keyLength) + RuleArgument.size(rule.limit())),
                    calls * RuleLoad.replyBytes(rule.limit()));
        }

        private double requestsPerId(Rule rule) {
            return rate / activeKeys(rule);
        }

        private double activeKeys(Rule rule) {
            return ids.activeKeys(rule.name(), rule.dimensions());
        }

        private long keyCount(Rule rule) {
            return ids.keys(rule.name(), rule.dimensions());
        }
    }
}
