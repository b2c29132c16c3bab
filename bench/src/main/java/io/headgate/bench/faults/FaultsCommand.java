package io.headgate.bench.faults;

import io.headgate.bench.faults.JobTrial.JobFaultScenario;
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

/** {@code headgate bench faults}: limits and jobs during all faults of Redis. */
@Command(
        name = "faults",
        description = {
            "Causes faults of a real Redis, or of a proxy before it, while four instances use one limit and two applications enqueue"
                    + " and handle jobs. Reports the answers, how much was admitted, which jobs were lost or handled twice,"
                    + " and how long the recovery took. Then it kills servers, and prints how many jobs queues lose.",
            "It takes about ten minutes for each of three rounds; --quick has one round. On a busy machine, its figures mean little."
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
                    "Run only these tables (limits, dead, jobs, losses) or cases of the tables, such as black-holed.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        FaultChoice choice =
                comparison.chosen(() -> List.of(FaultChoice.of(only))).get(0);
        return comparison.run(
                arena -> scenarios(arena, choice),
                List.of(new LossMatrix(choice.losses())),
                FaultFigures.all(),
                FaultCases.notesOnMissingFaults());
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
     * The selected parts and cases.
     *
     * @param limits the cases of limits
     * @param dead whether decisions with a dead Redis are measured
     * @param jobs the cases of jobs
     * @param losses the rows of the loss matrix
     */
    record FaultChoice(List<FaultCase<?>> limits, boolean dead, List<FaultCase<?>> jobs, List<LossCase> losses) {

        private static final List<String> PARTS =
                List.of(FaultScenario.NAME, DeadRedisScenario.NAME, JobFaultScenario.NAME, LossScenario.NAME);

        /**
         * The parts and cases with these names, or all if there are no names. If neither {@code limits} nor {@code jobs} is named, a case
         * is selected for both.
         *
         * @throws IllegalArgumentException when a name is unknown
         */
        static FaultChoice of(List<String> names) {
            List<FaultCase<?>> ofJobs = FaultCases.all();
            List<FaultCase<?>> ofLimits = Stream.of(ofJobs, FaultCases.failovers())
                    .flatMap(List::stream)
                    .toList();
            List<String> rows = LossCase.all().stream().map(LossCase::name).toList();
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
                    losses ? LossCase.named(wanted) : List.of());
        }

        private static List<FaultCase<?>> named(List<FaultCase<?>> cases, Set<String> names) {
            return cases.stream().filter(one -> names.contains(one.name())).toList();
        }
    }
}
