package io.headgate.bench.faults;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The figures of what becomes of jobs while Redis is in trouble, and when its servers are killed. */
final class LossFigures {

    private LossFigures() {}

    static List<Figure> all() {
        return List.of(
                new Figure(
                        "jobs lost in any case in which none may be",
                        whereNoneMayBe(JobFaultScenario.NAME, JobTrial.LOST),
                        Reach.atMost(0)),
                new Figure(
                        "jobs handed out again after an answered ack, in any of those",
                        whereNoneMayBe(JobFaultScenario.NAME, JobTrial.BACK_AFTER_ACK),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all kills of one node, append-only file with fsync always",
                        lost(Set.of(LossCases.SYNCED_ALWAYS), Set.of(Safety.values())),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all kills of one node, where WAITAOF confirmed them",
                        lost(Set.of(LossCases.SYNCED_EACH_SECOND, LossCases.SYNCED_ALWAYS), Set.of(Safety.FILE)),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all failovers, where a replica confirmed them",
                        lost(
                                Set.of(
                                        LossCases.FAILOVER,
                                        LossCases.FAILOVER_BEHIND,
                                        LossCases.CLUSTER,
                                        LossCases.CLUSTER_BEHIND),
                                Set.of(Safety.REPLICAS, Safety.FILE)),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost by failovers to replicas behind, none confirmed: losses are seen",
                        lost(Set.of(LossCases.FAILOVER_BEHIND, LossCases.CLUSTER_BEHIND), Set.of(Safety.NONE)),
                        Reach.moreThan(0)));
    }

    private static Measure whereNoneMayBe(String scenario, String metric) {
        return readings -> {
            Predicate<String> bounded = subject ->
                    readings.median(scenario, subject, JobTrial.LOST_AT_MOST).isPresent();
            return Measure.sum(scenario, metric, bounded).in(readings);
        };
    }

    private static Measure lost(Set<String> rows, Set<Safety> columns) {
        Predicate<String> wanted = subject -> LossCases.all().stream()
                .filter(row -> rows.contains(row.name()))
                .anyMatch(
                        row -> columns.stream().anyMatch(one -> row.subject(one).equals(subject)));
        return Measure.sum(LossScenario.NAME, JobTrial.LOST, wanted);
    }
}
