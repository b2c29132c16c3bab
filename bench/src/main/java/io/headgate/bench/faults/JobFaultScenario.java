package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Scenario.Trials;
import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What becomes of jobs in the cases that limits are brought into; Redis has an append-only file that it syncs always. */
final class JobFaultScenario {

    static final String NAME = "jobs";

    private static final List<String> SYNCED_ALWAYS = List.of("--appendonly", "yes", "--appendfsync", "always");

    private static final Duration BEFORE = Duration.ofMillis(500);

    private JobFaultScenario() {}

    static Scenario of(Arena arena, List<FaultCase<?>> cases) {
        Map<String, Consumer<Recorder>> trials = new LinkedHashMap<>();
        cases.forEach(one -> trials.put(one.name(), into -> run(arena, one, into)));
        return new Trials(arena, NAME, trials);
    }

    private static void run(Arena arena, FaultCase<?> one, Recorder into) {
        JobTrial.Plan plan = new JobTrial.Plan(
                QueueSettings.of("faults"),
                JobTrial.LEASE,
                BEFORE,
                arena.pace().faults().ofJobs(),
                SYNCED_ALWAYS,
                one.effect().losesData());
        JobTrial.run(one, plan, into);
    }
}
