package io.headgate.bench.limits;

import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.headgate.bench.limits.FourRules.FourCalls;
import io.headgate.bench.peers.Bucket4jSubject;
import io.headgate.bench.peers.RawRedis.Floor;
import io.headgate.bench.peers.RedissonSubject;
import io.headgate.bench.peers.RedissonSubject.RedissonHolds;
import io.headgate.bench.peers.SortedSet;
import io.headgate.bench.peers.Subject;
import io.headgate.limits.Limit;
import java.util.List;
import java.util.stream.Stream;

/** All that is measured on Redis, by name. */
final class Subjects {

    static final String SORTED_SET = SortedSet.NAME;
    static final String FLOOR_GET = Floor.GET;
    static final String FLOOR_EVALSHA = Floor.EVALSHA;
    static final String BUCKET4J = "bucket4j";
    static final String BUCKET4J_BATCHING = "bucket4j-batching";
    static final String RESILIENCE4J = "resilience4j";
    static final String GUAVA = "guava";
    static final String SLIDING_WINDOW = "headgate-sliding-window";
    static final String TOKEN_BUCKET = "headgate-token-bucket";
    static final String SLIDING_WINDOW_COALESCED = SLIDING_WINDOW + HeadgateSubject.COALESCED;
    static final String SLIDING_WINDOW_HOT_KEYS = SLIDING_WINDOW + HeadgateSubject.HOT_KEYS;
    static final String TOKEN_BUCKET_COALESCED = TOKEN_BUCKET + HeadgateSubject.COALESCED;
    static final String TOKEN_BUCKET_LEASED = TOKEN_BUCKET + HeadgateSubject.LEASED;
    static final String IN_FLIGHT = "headgate-in-flight";
    static final String FOUR_RULES = "headgate-four-rules";
    static final String FOUR_CALLS = "headgate-four-calls";

    private Subjects() {}

    /** Each algorithm of ours; a new one is one line here. */
    static List<HeadgateSubject> algorithms() {
        return List.of(
                new HeadgateSubject("headgate-fixed-window", q -> Limit.fixedWindow(q.permits(), q.window())),
                new HeadgateSubject(SLIDING_WINDOW, q -> Limit.slidingWindow(q.permits(), q.window())),
                new HeadgateSubject("headgate-sliding-counter", q -> Limit.slidingCounter(q.permits(), q.window())),
                new HeadgateSubject(TOKEN_BUCKET, q -> Limit.tokenBucket(q.permits(), q.permits(), q.window())),
                new HeadgateSubject(
                        "headgate-leaky-bucket", q -> Limit.leakyBucket(q.permits(), q.permits(), q.window())));
    }

    /** What decides by one limit, with the floors below it. */
    static List<Subject> singleLimits() {
        return Stream.concat(
                        Stream.of(
                                Floor.get(),
                                Floor.evalsha(),
                                new SortedSet(),
                                new Bucket4jSubject(BUCKET4J, Optimization.NONE_OPTIMIZED),
                                batching(),
                                new RedissonSubject()),
                        algorithms().stream())
                .toList();
    }

    /** The same, and decisions by several limits. */
    static List<Subject> all() {
        return Stream.concat(singleLimits().stream(), Stream.of(new FourRules(), new FourCalls()))
                .toList();
    }

    /** What makes fewer calls than decisions, and the floors of those who make one for each. */
    static List<Subject> coalesced() {
        return List.of(Floor.get(), Floor.evalsha(), coalesced(SLIDING_WINDOW), coalesced(TOKEN_BUCKET));
    }

    /** The same with a peer that makes fewer calls where all ask for one key. */
    static List<Subject> coalescedOnOneKey() {
        return List.of(batching(), coalesced(SLIDING_WINDOW), coalesced(TOKEN_BUCKET));
    }

    /** The same, where it is counted how often Redis is asked. */
    static List<Subject> denyingOnOneKey() {
        return List.of(batching(), onlyAsking(SLIDING_WINDOW), onlyAsking(TOKEN_BUCKET));
    }

    /** The same of one that spends leased permits. */
    static List<Subject> leasedOnOneKey() {
        return List.of(
                batching(), coalesced(TOKEN_BUCKET), algorithm(TOKEN_BUCKET).leased());
    }

    /** A call for each decision, and an engine as it comes. */
    static List<Subject> withAndWithoutCoalescing() {
        return List.of(
                algorithm(SLIDING_WINDOW), coalesced(SLIDING_WINDOW), algorithm(TOKEN_BUCKET), coalesced(TOKEN_BUCKET));
    }

    /** An engine as it comes, and one that counts which keys are hot. */
    static List<Subject> withAndWithoutHotKeys() {
        return List.of(coalesced(SLIDING_WINDOW), algorithm(SLIDING_WINDOW).countingHotKeys());
    }

    /** What hands out places that are given back, and end by themselves if they are not. */
    static List<Subject> holds() {
        return List.of(Floor.evalshaTwice(), new RedissonHolds(), new HeadgateHolds());
    }

    private static Subject batching() {
        return new Bucket4jSubject(BUCKET4J_BATCHING, Optimizations.batching());
    }

    private static Subject coalesced(String name) {
        return algorithm(name).coalesced(HeadgateRedis::coalescingOver);
    }

    private static Subject onlyAsking(String name) {
        return algorithm(name).coalesced(HeadgateRedis::onlyAskingOver);
    }

    /** What stores something for a user. Batching stores what Bucket4j does without it. */
    static List<Subject> stores() {
        return Stream.concat(
                        Stream.of(
                                new SortedSet(),
                                new Bucket4jSubject(BUCKET4J, Optimization.NONE_OPTIMIZED),
                                new RedissonSubject()),
                        algorithms().stream())
                .toList();
    }

    /**
     * The algorithm of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    static HeadgateSubject algorithm(String name) {
        return algorithms().stream()
                .filter(subject -> subject.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no algorithm is named " + name));
    }
}
