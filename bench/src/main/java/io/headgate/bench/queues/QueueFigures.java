package io.headgate.bench.queues;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Metrics;
import java.util.List;

/** The figures of the queues. In their texts, {@code a : b} is a ratio. */
final class QueueFigures {

    private static final String LATENESS = "lateness";

    private static final String STREAM_CONSUMER = "stream-consumer";

    private QueueFigures() {}

    static List<Figure> all() {
        return List.of(
                speed("process: jobs/s : bare streams", "process", Reach.atLeast(1.5)),
                new Figure(
                        "enqueue in batches and process: Redis CPU : bare streams",
                        Measure.ratio(
                                "through", Metrics.REDIS_CPU_MICROS, QueueSubjects.HEADGATE, QueueSubjects.STREAMS),
                        Reach.atMost(0.7)),
                speed("enqueue one by one: jobs/s : XADD one by one", "enqueue", Reach.atLeast(0.75)),
                speed("enqueue in batches: jobs/s : XADD in pipelined batches", "enqueue-batch", Reach.atLeast(1.6)),
                new Figure(
                        "delayed job with a payload of 100 bytes: bytes",
                        Measure.of("memory", Metrics.BYTES_PER_JOB_DELAYED, QueueSubjects.HEADGATE),
                        Reach.atMost(260)),
                later("across processes, p50: µs later than a stream", Metrics.LATE_P50_MICROS),
                later("across processes, p99: µs later than a stream", Metrics.LATE_P99_MICROS),
                new Figure(
                        "across processes, the earliest job: µs after its due time",
                        Measure.least(LATENESS, Metrics.LATE_LEAST_MICROS, QueueSubjects.HEADGATE),
                        Reach.atLeast(0)),
                new Figure(
                        "stream consumer: jobs/s : bare streams",
                        Measure.ratio(
                                STREAM_CONSUMER,
                                Metrics.JOBS_PER_SECOND,
                                QueueSubjects.STREAM_CONSUMER,
                                QueueSubjects.STREAMS),
                        Reach.atLeast(0.8)),
                new Figure(
                        "large queues: µs of the longest call",
                        Measure.most("large", Metrics.LONGEST_CALL_MICROS),
                        Reach.atMost(5000)));
    }

    private static Figure speed(String text, String scenario, Reach reach) {
        return new Figure(
                text,
                Measure.ratio(scenario, Metrics.JOBS_PER_SECOND, QueueSubjects.HEADGATE, QueueSubjects.STREAMS),
                reach);
    }

    private static Figure later(String text, String metric) {
        return new Figure(
                text,
                Measure.difference(LATENESS, metric, QueueSubjects.HEADGATE, QueueSubjects.STREAMS),
                Reach.atMost(1000));
    }
}
