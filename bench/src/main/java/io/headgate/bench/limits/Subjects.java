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

/** The subjects on Redis, by name. */
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
    static final String SLIDING_WINDOW_BANNING = SLIDING_WINDOW + HeadgateSubject.BANNING;
    static final String TOKEN_BUCKET_BANNING = TOKEN_BUCKET + HeadgateSubject.BANNING;
    static final String LISTENER = "headgate-listener";
    static final String METRICS = "headgate-metrics";
    static final String IN_FLIGHT = "headgate-in-flight";
    static final String FOUR_RULES = "headgate-four-rules";
    static final String FOUR_CALLS = "headgate-four-calls";

    private Subjects() {}

    /** The measured algorithms of Headgate, all but the calendar window; a new one is one line here. */
    static List<HeadgateSubject> algorithms() {
        return List.of(
                new HeadgateSubject("headgate-fixed-window", q -> Limit.fixedWindow(q.permits(), q.window())),
                new HeadgateSubject(SLIDING_WINDOW, q -> Limit.slidingWindow(q.permits(), q.window())),
                new HeadgateSubject("headgate-sliding-counter", q -> Limit.slidingCounter(q.permits(), q.window())),
                new HeadgateSubject(TOKEN_BUCKET, q -> Limit.tokenBucket(q.permits(), q.permits(), q.window())),
                new HeadgateSubject(
                        "headgate-leaky-bucket", q -> Limit.leakyBucket(q.permits(), q.permits(), q.window())));
    }

    /** All subjects with a single limit, and the floors. */
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

    /** All subjects with one limit or several, and the floors. */
    static List<Subject> all() {
        return Stream.concat(singleLimits().stream(), Stream.of(new FourRules(), new FourCalls()))
                .toList();
    }

    /** Subjects that make fewer calls than decisions, and the floors of one call per decision. */
    static List<Subject> coalesced() {
        return List.of(Floor.get(), Floor.evalsha(), coalesced(SLIDING_WINDOW), coalesced(TOKEN_BUCKET));
    }

    /** Subjects that make fewer calls than decisions, and a peer that combines requests for one key. */
    static List<Subject> coalescedOnOneKey() {
        return List.of(batching(), coalesced(SLIDING_WINDOW), coalesced(TOKEN_BUCKET));
    }

    /** A peer that combines requests for one key, and subjects that cache denials and make no other calls. */
    static List<Subject> denyingOnOneKey() {
        return List.of(batching(), withoutFallback(SLIDING_WINDOW), withoutFallback(TOKEN_BUCKET));
    }

    /** Subjects that make fewer calls than decisions for one key; one of them has leased permits. */
    static List<Subject> leasedOnOneKey() {
        return List.of(
                batching(), coalesced(TOKEN_BUCKET), algorithm(TOKEN_BUCKET).leased());
    }

    /** Two algorithms, each on an engine with one call per decision and on one with default settings. */
    static List<Subject> withAndWithoutCoalescing() {
        return List.of(
                algorithm(SLIDING_WINDOW), coalesced(SLIDING_WINDOW), algorithm(TOKEN_BUCKET), coalesced(TOKEN_BUCKET));
    }

    /** An engine with default settings, and one that also counts hot keys. */
    static List<Subject> withAndWithoutHotKeys() {
        return List.of(coalesced(SLIDING_WINDOW), algorithm(SLIDING_WINDOW).countingHotKeys());
    }

    /** Two algorithms, each with a rule that bans and with one that does not. */
    static List<Subject> withAndWithoutBans() {
        return List.of(
                algorithm(SLIDING_WINDOW),
                algorithm(SLIDING_WINDOW).banning(),
                algorithm(TOKEN_BUCKET),
                algorithm(TOKEN_BUCKET).banning());
    }

    /** In-flight limits with holds that are released or expire, and the floor of two calls. */
    static List<Subject> holds() {
        return List.of(Floor.evalshaTwice(), new RedissonHolds(), new HeadgateHolds());
    }

    private static Subject batching() {
        return new Bucket4jSubject(BUCKET4J_BATCHING, Optimizations.batching());
    }

    private static Subject coalesced(String name) {
        return algorithm(name).coalesced(HeadgateRedis::coalescingOver);
    }

    private static Subject withoutFallback(String name) {
        return algorithm(name).coalesced(HeadgateRedis::withoutFallbackOver);
    }

    /** Subjects that store data for a user; Bucket4j only once, as batching does not change its data. */
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
