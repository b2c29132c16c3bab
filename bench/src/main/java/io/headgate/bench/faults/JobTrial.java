package io.headgate.bench.faults;

import io.headgate.bench.faults.JobApplication.JobProducer;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Pause;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Scenario.Trials;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A trial in which applications enqueue and handle jobs during a fault. Afterwards the workers handle the remaining jobs, and the
 * history shows which jobs were lost.
 */
final class JobTrial {

    /** The time from the end of the fault until every application has enqueued and handled a new job. */
    static final String HEALTHY_SECONDS = "healthyAfterSeconds";

    /** The number of jobs whose enqueue was answered. */
    static final String ANSWERED = "answered";

    /** The number of enqueues that threw an exception; their jobs may be in the queue or not. */
    static final String NOT_ANSWERED = "notAnswered";

    /** The longest time of an enqueue, answered or not. */
    static final String SLOWEST_MILLIS = "slowestMillis";

    /** The number of jobs that were answered, never handled, and are not in the queue. */
    static final String LOST = "jobsLost";

    /** The bound of lost jobs; not recorded if jobs may be lost. */
    static final String LOST_AT_MOST = "lostAtMost";

    static final String HANDLED_TWICE = "handledTwice";

    /** The number of jobs that were handled again after an answered ack. */
    static final String BACK_AFTER_ACK = "backAfterAck";

    /** The lease of a job: shorter than a fault. */
    static final Duration LEASE = Duration.ofMillis(1_500);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int SHOWN = 5;

    private JobTrial() {}

    /**
     * The settings of a trial.
     *
     * @param settings the settings of the queue
     * @param lease the lease of a job
     * @param before how long applications work before the fault
     * @param during how long the fault lasts
     * @param arguments the arguments of the servers
     * @param mayLose whether jobs with an answered enqueue may be lost
     */
    record Plan(
            QueueSettings settings,
            Duration lease,
            Duration before,
            Duration during,
            List<String> arguments,
            boolean mayLose) {}

    static <P extends FaultTarget> void run(FaultCase<P> one, Plan plan, Recorder into) {
        try (P target = one.opening().open(plan.arguments.toArray(String[]::new));
                JobApplications applications = JobApplications.open(target.url(), plan.settings, plan.lease)) {
            if (!applications.awaitRecoverySince(JobProducer.now(), TIMEOUT)) {
                throw new IllegalStateException("no jobs were handled within " + TIMEOUT);
            }
            Pause.of(plan.before);
            Runnable end = one.fault().begin(target);
            Pause.of(plan.during);
            end.run();
            long over = JobProducer.now();
            if (!applications.awaitRecoverySince(over, TIMEOUT)) {
                into.note("not healthy within " + TIMEOUT);
            }
            into.add(HEALTHY_SECONDS, (JobProducer.now() - over) / 1e9);
            if (!applications.drain(TIMEOUT)) {
                into.note("some jobs were not handled within " + TIMEOUT);
            }
            record(applications, plan.mayLose, into);
        }
    }

    private static void record(JobApplications applications, boolean mayLose, Recorder into) {
        JobHistory history = applications.history();
        Set<String> lost = history.lost(storedJobs(applications, into));
        into.add(ANSWERED, history.answered());
        into.add(NOT_ANSWERED, applications.notAnswered());
        into.add(SLOWEST_MILLIS, applications.slowestMillis());
        into.add(LOST, lost.size());
        into.add(HANDLED_TWICE, history.handledTwice().size());
        into.add(BACK_AFTER_ACK, history.backAfterAck().size());
        if (!mayLose) {
            into.add(LOST_AT_MOST, 0);
            if (!lost.isEmpty()) {
                into.note("lost, such as " + lost.stream().limit(SHOWN).toList());
            }
        }
    }

    private static Set<String> storedJobs(JobApplications applications, Recorder into) {
        try {
            return applications.storedJobs();
        } catch (QueueException e) {
            into.note("the remaining jobs could not be read: " + e.getMessage());
            return Set.of();
        }
    }

    /** A scenario of jobs during the faults of {@link FaultCases#all}, on a Redis that syncs its append-only file after each write. */
    static final class JobFaultScenario {

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
}
