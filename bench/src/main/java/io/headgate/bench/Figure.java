package io.headgate.bench;

import java.util.List;
import java.util.stream.Stream;

/** A figure that was promised, how it is measured, and where it should be. */
record Figure(String text, Measure measure, Reach reach) {

    /** The figures of the limits. */
    static List<Figure> ofLimits() {
        return Stream.concat(ofSingleCalls().stream(), CoalescedFigures.all().stream())
                .toList();
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
}
