package io.headgate.bench;

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
        List<FaultCase<?>> cases = FaultCases.all();
        List<LossCase> rows = LossCases.all();
        List<String> ofCases = cases.stream().map(FaultCase::name).toList();
        List<String> ofRows = rows.stream().map(LossCase::name).toList();
        List<String> known =
                Stream.of(PARTS, ofCases, ofRows).flatMap(List::stream).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no case " + name + "; there are " + String.join(", ", known));
            }
        }
        Set<String> wanted = Set.copyOf(names);
        List<FaultCase<?>> named =
                cases.stream().filter(one -> wanted.contains(one.name())).toList();
        List<FaultCase<?>> chosen = named.isEmpty() ? cases : named;
        boolean limits = wanted.contains(FaultScenario.NAME);
        boolean jobs = wanted.contains(JobFaultScenario.NAME);
        boolean both = wanted.isEmpty() || (!named.isEmpty() && !limits && !jobs);
        boolean losses = wanted.contains(LossScenario.NAME) || ofRows.stream().anyMatch(wanted::contains);
        return new FaultChoice(
                limits || both ? chosen : List.of(),
                wanted.isEmpty() || wanted.contains(DeadRedisScenario.NAME),
                jobs || both ? chosen : List.of(),
                losses || wanted.isEmpty() ? LossCases.named(wanted) : List.of());
    }
}
