package io.headgate.bench.faults;

import io.headgate.bench.faults.FaultCases.FailoverCases;
import io.headgate.bench.faults.JobTrial.JobFaultScenario;
import io.headgate.bench.faults.LossCase.LossCases;
import io.headgate.bench.faults.LossScenario.LossMatrix;
import io.headgate.bench.run.Comparison;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench faults}: what becomes of limits and of jobs while everything is done to Redis that can be. */
@Command(
        name = "faults",
        description = {
            "Has four instances ask for one limit, and two applications enqueue and handle jobs, while a real Redis, or a proxy before"
                    + " it, is brought into trouble; and says what they were answered, how much was admitted, which jobs were"
                    + " lost or handled twice, and when all was well again. Then it kills servers, and prints what queues lose.",
            "It takes about ten minutes a round, of which there are three, or one with --quick; and it means little on a machine that has no time for four instances."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class FaultsCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "CASE",
            split = ",",
            description =
                    "Only these: limits, dead, jobs or losses for one of the tables, or cases as they stand in it, such as black-holed.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        FaultChoice choice =
                comparison.chosen(() -> List.of(FaultChoice.of(only))).get(0);
        return comparison.run(
                arena -> scenarios(arena, choice),
                List.of(new LossMatrix(choice.losses())),
                FaultFigures.all(),
                FaultCases.absences());
    }

    private static List<Scenario> scenarios(Arena arena, FaultChoice choice) {
        List<Scenario> scenarios = new ArrayList<>();
        if (!choice.limits().isEmpty()) {
            scenarios.add(FaultScenario.of(arena, choice.limits()));
        }
        if (choice.dead()) {
            scenarios.add(new DeadRedisScenario(arena));
        }
        if (!choice.jobs().isEmpty()) {
            scenarios.add(JobFaultScenario.of(arena, choice.jobs()));
        }
        if (!choice.losses().isEmpty()) {
            scenarios.add(LossScenario.of(arena, choice.losses()));
        }
        return scenarios;
    }

    /**
     * What of all faults is had.
     *
     * @param limits the cases of limits
     * @param dead whether decisions are made against a Redis that is gone
     * @param jobs the cases of jobs
     * @param losses the rows of the loss matrix
     */
    record FaultChoice(List<FaultCase<?>> limits, boolean dead, List<FaultCase<?>> jobs, List<LossCase> losses) {

        private static final List<String> PARTS =
                List.of(FaultScenario.NAME, DeadRedisScenario.NAME, JobFaultScenario.NAME, LossScenario.NAME);

        /**
         * The parts and cases of these names; all, where there are none. Where there is the name of a case and of no part that has
         * it, it is had in all of them.
         *
         * @throws IllegalArgumentException when there is none of a name
         */
        static FaultChoice of(List<String> names) {
            List<FaultCase<?>> ofJobs = FaultCases.all();
            List<FaultCase<?>> ofLimits =
                    Stream.of(ofJobs, FailoverCases.all()).flatMap(List::stream).toList();
            List<String> rows = LossCases.all().stream().map(LossCase::name).toList();
            List<String> known = Stream.of(
                            PARTS, ofLimits.stream().map(FaultCase::name).toList(), rows)
                    .flatMap(List::stream)
                    .toList();
            for (String name : names) {
                if (!known.contains(name)) {
                    throw new IllegalArgumentException(
                            "there is no case " + name + "; there are " + String.join(", ", known));
                }
            }
            Set<String> wanted = Set.copyOf(names);
            boolean all = wanted.isEmpty();
            boolean limits = wanted.contains(FaultScenario.NAME);
            boolean jobs = wanted.contains(JobFaultScenario.NAME);
            boolean isCaseNamed = ofLimits.stream().anyMatch(one -> wanted.contains(one.name()));
            boolean both = all || (isCaseNamed && !limits && !jobs);
            Set<String> cases = isCaseNamed ? wanted : Set.copyOf(known);
            boolean losses =
                    all || wanted.contains(LossScenario.NAME) || rows.stream().anyMatch(wanted::contains);
            return new FaultChoice(
                    limits || both ? named(ofLimits, cases) : List.of(),
                    all || wanted.contains(DeadRedisScenario.NAME),
                    jobs || both ? named(ofJobs, cases) : List.of(),
                    losses ? LossCases.named(wanted) : List.of());
        }

        private static List<FaultCase<?>> named(List<FaultCase<?>> cases, Set<String> names) {
            return cases.stream().filter(one -> names.contains(one.name())).toList();
        }
    }
}
