package io.headgate.bench.web;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Report.Overview;
import io.headgate.bench.report.TextTable;
import io.headgate.bench.report.TextTable.Numbers;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The figures of web applications, and what each subject adds to a request. */
final class WebFigures {

    /** What Headgate may add at most, relative to a peer. */
    private static final double OF_PEER = 1 / 1.2;

    private WebFigures() {}

    static List<Figure> all() {
        return List.of(
                new Figure(
                        "controller, in memory: CPU of a request : no filter",
                        Measure.ratio("controller", Metrics.APP_CPU_MICROS, WebSubjects.MEMORY, WebSubjects.NONE),
                        Reach.atMost(1.03)),
                added("controller, on Redis: CPU added : Bucket4j starter", "controller", WebSubjects.BUCKET4J),
                added(
                        "gateway, on Redis: CPU added : RequestRateLimiter",
                        "gateway",
                        WebSubjects.REQUEST_RATE_LIMITER));
    }

    private static Figure added(String text, String scenario, String peer) {
        Measure ours = Measure.difference(scenario, Metrics.APP_CPU_MICROS, WebSubjects.REDIS, WebSubjects.NONE);
        Measure theirs = Measure.difference(scenario, Metrics.APP_CPU_MICROS, peer, WebSubjects.NONE);
        return new Figure(text, Measure.quotient(ours, theirs), Reach.atMost(OF_PEER));
    }

    static List<Overview> overviews() {
        return List.of(WebFigures::printAdded);
    }

    /** Prints the CPU of a request relative to no limit: the median of the rounds, and the quarter and three quarters of them. */
    private static void printAdded(Readings readings, PrintWriter out) {
        for (String scenario : readings.scenarios()) {
            TextTable table = new TextTable(List.of("subject"), List.of("ratio", "lower", "upper", "micros added"));
            for (String subject : readings.subjects(scenario)) {
                OptionalDouble added = Measure.difference(scenario, Metrics.APP_CPU_MICROS, subject, WebSubjects.NONE)
                        .in(readings);
                if (added.isPresent() && !subject.equals(WebSubjects.NONE)) {
                    table.add(List.of(
                            subject,
                            ratio(readings, scenario, subject, 0.5),
                            ratio(readings, scenario, subject, 0.25),
                            ratio(readings, scenario, subject, 0.75),
                            Numbers.cell(added.getAsDouble())));
                }
            }
            out.println();
            out.println(scenario + ", CPU of a request relative to no limit: median and quartiles of the rounds");
            table.print(out);
        }
    }

    private static String ratio(Readings readings, String scenario, String subject, double quantile) {
        return Measure.ratioAt(quantile, scenario, Metrics.APP_CPU_MICROS, subject, WebSubjects.NONE)
                .in(readings)
                .stream()
                .mapToObj(value -> String.format(Locale.ROOT, "%.3f", value))
                .findFirst()
                .orElse("");
    }
}
