package io.headgate.bench.faults;

import static io.headgate.bench.faults.DeadRedisScenario.AFTER_P99_MICROS;
import static io.headgate.bench.faults.DeadRedisScenario.BEFORE_P99_MILLIS;
import static io.headgate.bench.faults.DeadRedisScenario.MORE_HEAP_BYTES;
import static io.headgate.bench.faults.DeadRedisScenario.MORE_THREADS;

import io.headgate.bench.faults.JobTrial.JobFaultScenario;
import io.headgate.bench.faults.LossCase.Safety;
import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Measure;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Reading;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The figures of limits and jobs during faults of Redis. In their texts, {@code a : b} is a ratio. */
final class FaultFigures {

    private static final int MIB = 1024 * 1024;

    private FaultFigures() {}

    static List<Figure> all() {
        return Stream.concat(ofLimits().stream(), ofLosses().stream()).toList();
    }

    static List<Figure> ofLimits() {
        return List.of(
                ofDead("black-holed, before the engine notices: ms of a decision, p99", BEFORE_P99_MILLIS, 50),
                ofDead("black-holed, after the engine notices: µs of a decision, p99", AFTER_P99_MICROS, 10),
                new Figure(
                        "exceptions that reached a caller of a decision, in any case",
                        Measure.most(FaultScenario.NAME, FaultScenario.EXCEPTIONS),
                        Reach.atMost(0)),
                ofDead("more threads after many decisions against a dead Redis", MORE_THREADS, 0),
                ofDead("more bytes of heap after these decisions", MORE_HEAP_BYTES, MIB),
                new Figure(
                        "seconds until healthy again, the most of all cases",
                        Measure.most(FaultScenario.NAME, FaultScenario.HEALTHY_SECONDS),
                        Reach.atMost(2)),
                new Figure(
                        "admitted : limit, where no instance reaches Redis, the most of all cases",
                        FaultFigures::mostWhereNoneReachesRedis,
                        Reach.atMost(FaultCase.Effect.ALL_FALL_BACK.bound())),
                new Figure(
                        "exceptions that reached a caller of an in-flight limit, in any case",
                        Measure.most(FaultScenario.NAME, HoldCallers.HOLD_EXCEPTIONS),
                        Reach.atMost(0)),
                new Figure(
                        "permits held at the same time : in-flight limit, the most of all cases",
                        Measure.most(FaultScenario.NAME, HoldCallers.MOST_HELD),
                        Reach.atMost(HoldCallers.MOST_HELD_BOUND)),
                new Figure(
                        "cases in which more holds were lost than documented",
                        readings -> beyond(readings, HoldCallers.HOLDS_LOST, HoldCallers.LOST_BOUND),
                        Reach.atMost(0)),
                new Figure(
                        "cases in which more was admitted than documented",
                        readings -> beyond(readings, FaultScenario.ADMITTED, FaultScenario.BOUND),
                        Reach.atMost(0)));
    }

    private static Figure ofDead(String text, String metric, double atMost) {
        return new Figure(
                text, Measure.of(DeadRedisScenario.NAME, metric, DeadRedisScenario.SUBJECT), Reach.atMost(atMost));
    }

    private static OptionalDouble mostWhereNoneReachesRedis(Readings readings) {
        double bound = FaultCase.Effect.ALL_FALL_BACK.bound();
        return of(readings, FaultScenario.ADMITTED)
                .filter(one -> bound(readings, one, FaultScenario.BOUND) <= bound)
                .mapToDouble(Reading::value)
                .max();
    }

    private static OptionalDouble beyond(Readings readings, String metric, String bound) {
        return of(readings, metric).findAny().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) of(readings, metric)
                        .filter(one -> one.value() > bound(readings, one, bound))
                        .count());
    }

    private static Stream<Reading> of(Readings readings, String metric) {
        return readings.all().stream()
                .filter(one -> one.scenario().equals(FaultScenario.NAME)
                        && one.metric().equals(metric));
    }

    private static double bound(Readings readings, Reading one, String metric) {
        return readings.value(one.scenario(), one.subject(), metric, one.round())
                .orElseThrow();
    }

    private static List<Figure> ofLosses() {
        return List.of(
                new Figure(
                        "jobs lost, over all cases in which none may be lost",
                        overLosslessCases(JobFaultScenario.NAME, JobTrial.LOST),
                        Reach.atMost(0)),
                new Figure(
                        "jobs claimed again after an answered ack, over these cases",
                        overLosslessCases(JobFaultScenario.NAME, JobTrial.BACK_AFTER_ACK),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all kills of one node, append-only file with fsync always",
                        lost(Set.of(LossCase.SYNCED_ALWAYS), Set.of(Safety.values())),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all kills of one node, where WAITAOF confirmed them",
                        lost(Set.of(LossCase.SYNCED_EACH_SECOND, LossCase.SYNCED_ALWAYS), Set.of(Safety.FILE)),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost over all failovers, where a replica confirmed them",
                        lost(
                                Set.of(
                                        LossCase.FAILOVER,
                                        LossCase.FAILOVER_BEHIND,
                                        LossCase.CLUSTER,
                                        LossCase.CLUSTER_BEHIND),
                                Set.of(Safety.REPLICAS, Safety.FILE)),
                        Reach.atMost(0)),
                new Figure(
                        "jobs lost by failovers to replicas behind, without confirmation: losses are detected",
                        lost(Set.of(LossCase.FAILOVER_BEHIND, LossCase.CLUSTER_BEHIND), Set.of(Safety.NONE)),
                        Reach.moreThan(0)));
    }

    private static Measure overLosslessCases(String scenario, String metric) {
        return readings -> {
            Predicate<String> bounded = subject ->
                    readings.median(scenario, subject, JobTrial.LOST_AT_MOST).isPresent();
            return Measure.sum(scenario, metric, bounded).in(readings);
        };
    }

    private static Measure lost(Set<String> rows, Set<Safety> columns) {
        Predicate<String> wanted = subject -> LossCase.all().stream()
                .filter(row -> rows.contains(row.name()))
                .anyMatch(
                        row -> columns.stream().anyMatch(one -> row.subject(one).equals(subject)));
        return Measure.sum(LossScenario.NAME, JobTrial.LOST, wanted);
    }
}
