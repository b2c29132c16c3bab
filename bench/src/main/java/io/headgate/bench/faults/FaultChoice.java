package io.headgate.bench.faults;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

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
