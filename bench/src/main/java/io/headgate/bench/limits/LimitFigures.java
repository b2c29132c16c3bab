package io.headgate.bench.limits;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Metrics;
import java.util.List;
import java.util.stream.Stream;

/**
 * The figures of limits, with one call for each decision and with fewer calls. In their texts, {@code a : b} is a ratio, and a floor is
 * the smallest possible cost of a call.
 */
final class LimitFigures {

    private static final String COALESCED = "coalesced";
    private static final String FLOOD = "flood";
    private static final String WINDOW = Subjects.SLIDING_WINDOW_COALESCED;
    private static final String BUCKET = Subjects.TOKEN_BUCKET_COALESCED;

    private LimitFigures() {}

    static List<Figure> all() {
        return Stream.concat(ofSingleCalls().stream(), ofFewerCalls().stream()).toList();
    }

    private static List<Figure> ofFewerCalls() {
        return List.of(
                speed("exact sliding window, coalesced: decisions/s : GET one by one", WINDOW, Reach.atLeast(1.3)),
                cpu("exact sliding window, coalesced: Redis CPU : floor", WINDOW, Reach.atMost(0.75)),
                speed("token bucket, coalesced: decisions/s : GET one by one", BUCKET, Reach.atLeast(1.5)),
                cpu("token bucket, coalesced: Redis CPU : floor", BUCKET, Reach.atMost(0.55)),
                new Figure(
                        "one hot key, exact, coalesced: decisions/s : batching peer",
                        Measure.ratio(
                                "coalesced-hot", Metrics.DECISIONS_PER_SECOND, WINDOW, Subjects.BUCKET4J_BATCHING),
                        Reach.atLeast(1.5)),
                new Figure(
                        "one hot key, leased: decisions/s : batching peer",
                        Measure.ratio(
                                "leased",
                                Metrics.DECISIONS_PER_SECOND,
                                Subjects.TOKEN_BUCKET_LEASED,
                                Subjects.BUCKET4J_BATCHING),
                        Reach.atLeast(4)),
                new Figure(
                        "flood on a denied key: decisions/s : batching peer",
                        Measure.ratio(FLOOD, Metrics.DECISIONS_PER_SECOND, WINDOW, Subjects.BUCKET4J_BATCHING),
                        Reach.atLeast(15)),
                new Figure(
                        "flood on a denied key: calls a second, the most of all rounds",
                        Measure.most(FLOOD, Metrics.CALLS_PER_SECOND, WINDOW),
                        Reach.atMost(1)),
                lone(
                        "lone caller, exact sliding window: p50 : a call for each decision",
                        WINDOW,
                        Subjects.SLIDING_WINDOW),
                lone("lone caller, token bucket: p50 : a call for each decision", BUCKET, Subjects.TOKEN_BUCKET),
                hotKeys("hot keys counted, calls: decisions/s : not counted", "hot-keys"),
                hotKeys("hot keys counted, cached denials: decisions/s : not counted", "hot-keys-denied"));
    }

    private static List<Figure> ofSingleCalls() {
        return List.of(
                new Figure(
                        "exact sliding window, admitted: Redis CPU : sorted set",
                        cpuRatio("spread", Subjects.SLIDING_WINDOW, Subjects.SORTED_SET),
                        Reach.atMost(0.75)),
                new Figure(
                        "exact sliding window, denied: Redis CPU : sorted set",
                        cpuRatio("denied", Subjects.SLIDING_WINDOW, Subjects.SORTED_SET),
                        Reach.atMost(1)),
                new Figure("exact sliding window, 100 a minute: bytes of a user", slidingBytes(100), Reach.atMost(850)),
                new Figure(
                        "exact sliding window, 1 000 a minute: bytes of a user",
                        slidingBytes(1_000),
                        Reach.atMost(6_300)),
                new Figure(
                        "exact sliding window, 10 000 a minute: bytes of a user",
                        slidingBytes(10_000),
                        Reach.atMost(50_000)),
                new Figure(
                        "token bucket, admitted: Redis CPU : sorted set",
                        cpuRatio("spread", Subjects.TOKEN_BUCKET, Subjects.SORTED_SET),
                        Reach.atMost(0.65)),
                banning(
                        "a rule that bans, exact sliding window, admitted: Redis CPU : without bans",
                        Subjects.SLIDING_WINDOW_BANNING,
                        Subjects.SLIDING_WINDOW),
                banning(
                        "a rule that bans, token bucket, admitted: Redis CPU : without bans",
                        Subjects.TOKEN_BUCKET_BANNING,
                        Subjects.TOKEN_BUCKET),
                new Figure(
                        "token bucket: bytes of a key",
                        Measure.of("memory", Metrics.BYTES_PER_KEY + 10_000, Subjects.TOKEN_BUCKET),
                        Reach.atMost(96)),
                new Figure(
                        "four rules in one policy : four calls, Redis CPU",
                        cpuRatio("spread", Subjects.FOUR_RULES, Subjects.FOUR_CALLS),
                        Reach.atMost(0.55)),
                new Figure(
                        "round trips of a four-rule decision",
                        Measure.of("spread", Metrics.ROUND_TRIPS, Subjects.FOUR_RULES),
                        Reach.atMost(1)),
                new Figure(
                        "metrics: nanoseconds more for a decision",
                        Measure.difference("local-metrics", Metrics.NANOS, Subjects.METRICS, Subjects.TOKEN_BUCKET),
                        Reach.atMost(300)),
                new Figure(
                        "metrics: bytes more allocated for a decision than with another listener",
                        Measure.difference(
                                "local-metrics", Metrics.ALLOCATED_BYTES, Subjects.METRICS, Subjects.LISTENER),
                        Reach.atMost(0.5)),
                ahead("in memory, one key, one thread: ours : best peer", "local-1", Metrics.DECISIONS_PER_SECOND),
                ahead("in memory, one key, two threads: ours : best peer", "local-2", Metrics.DECISIONS_PER_SECOND),
                ahead(
                        "in memory, 100 000 keys, one thread: ours : best peer",
                        "local-100k",
                        Metrics.DECISIONS_PER_SECOND),
                ahead(
                        "in memory, 100 000 keys, two threads: ours : best peer",
                        "local-100k",
                        Metrics.DECISIONS_PER_SECOND_2));
    }

    private static Figure banning(String text, String subject, String other) {
        return new Figure(text, cpuRatio("ban-rules", subject, other), Reach.atMost(1.05));
    }

    private static Measure cpuRatio(String scenario, String subject, String other) {
        return Measure.ratio(scenario, Metrics.REDIS_CPU_MICROS, subject, other);
    }

    private static Measure slidingBytes(int limit) {
        return Measure.of("memory", Metrics.BYTES_PER_KEY + limit, Subjects.SLIDING_WINDOW);
    }

    private static Figure ahead(String text, String scenario, String metric) {
        Measure ratio = Measure.ratio(
                scenario, metric, Subjects.TOKEN_BUCKET, Subjects.BUCKET4J, Subjects.RESILIENCE4J, Subjects.GUAVA);
        return new Figure(text, ratio, Reach.moreThan(1));
    }

    private static Figure speed(String text, String subject, Reach reach) {
        return new Figure(
                text, Measure.ratio(COALESCED, Metrics.DECISIONS_PER_SECOND, subject, Subjects.FLOOR_GET), reach);
    }

    private static Figure cpu(String text, String subject, Reach reach) {
        return new Figure(
                text, Measure.ratio(COALESCED, Metrics.REDIS_CPU_MICROS, subject, Subjects.FLOOR_EVALSHA), reach);
    }

    private static Figure hotKeys(String text, String scenario) {
        return new Figure(
                text,
                Measure.ratio(scenario, Metrics.DECISIONS_PER_SECOND, Subjects.SLIDING_WINDOW_HOT_KEYS, WINDOW),
                Reach.atLeast(0.97));
    }

    private static Figure lone(String text, String subject, String other) {
        return new Figure(text, Measure.ratio("lone", Metrics.P50_MICROS, subject, other), Reach.atMost(1.05));
    }
}
