package io.headgate.bench;

import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.List;

/** What becomes of jobs in the cases that limits are brought into; Redis has an append-only file that it syncs always. */
final class JobFaultScenario implements Scenario {

    static final String NAME = "jobs";

    private static final List<String> SYNCED_ALWAYS = List.of("--appendonly", "yes", "--appendfsync", "always");

    private static final Duration BEFORE = Duration.ofMillis(500);

    private final Arena arena;
    private final List<FaultCase<?>> cases;

    JobFaultScenario(Arena arena, List<FaultCase<?>> cases) {
        this.arena = arena;
        this.cases = cases;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rounds() {
        return arena.pace().faults().rounds();
    }

    @Override
    public List<String> subjects() {
        return cases.stream().map(FaultCase::name).toList();
    }

    @Override
    public Turns open() {
        return new Turns() {

            @Override
            public void take(String subject, Recorder into) {
                cases.stream().filter(each -> each.name().equals(subject)).forEach(one -> run(one, into));
            }

            @Override
            public void close() {}
        };
    }

    private void run(FaultCase<?> one, Recorder into) {
        JobTrial.Plan plan = new JobTrial.Plan(
                QueueSettings.of("faults"),
                BEFORE,
                arena.pace().faults().ofJobs(),
                SYNCED_ALWAYS,
                one.effect().losesData());
        JobTrial.run(one, plan, into);
    }
}
