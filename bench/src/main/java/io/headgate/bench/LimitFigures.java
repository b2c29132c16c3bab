package io.headgate.bench;

import java.util.List;

/** The figures of limits that make fewer calls than decisions. */
final class CoalescedFigures {

    private static final String COALESCED = "coalesced";
    private static final String FLOOD = "flood";
    private static final String WINDOW = Subjects.SLIDING_WINDOW_COALESCED;
    private static final String BUCKET = Subjects.TOKEN_BUCKET_COALESCED;

    private CoalescedFigures() {}

    static List<Figure> all() {
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
                hotKeys("hot keys counted, known denials: decisions/s : not counted", "hot-keys-denied"));
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
