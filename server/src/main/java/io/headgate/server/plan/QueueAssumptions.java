package io.headgate.server.plan;

import io.headgate.redis.capacity.QueuePlan;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;

/** The assumptions of a plan of a queue, in sentences. */
final class QueueAssumptions {

    private static final double SECONDS_OF_A_DAY = 86_400;

    private QueueAssumptions() {}

    static List<String> of(QueueOptions options, QueuePlan plan, PlannedMemory memory) {
        List<String> assumptions = new ArrayList<>();
        assumptions.add("jobs arrive at random times, all with one priority; jobs per enqueue call: " + options.batch
                + "; concurrent calls are batched and take less");
        if (options.keyed > 0) {
            assumptions.add("every job key is new");
        }
        if (!options.delay.isZero()) {
            assumptions.add("every delayed job has its own due time");
        }
        assumptions.add("at the peak no job was handled for " + PlanTime.words(options.standstill)
                + (options.claim.isPresent() ? "" : "; then all workers have claimed as many jobs as they can"));
        assumptions.add(options.claim.isPresent() ? withoutWorkers(plan) : withWorkers(options, plan));
        if (options.failing > 0) {
            assumptions.add("attempts fail independently; a job whose attempts all fail becomes a dead letter, "
                    + Words.number(plan.deadLettersPerSecond() * SECONDS_OF_A_DAY) + " a day");
        }
        if (options.dead > 0) {
            assumptions.add(Words.number(options.dead) + " dead letters are kept, with the causes of "
                    + Words.count(options.attempts, "attempt"));
        }
        if (options.kept().isAny()) {
            assumptions.add("done jobs are kept as long as allowed, and as many are dropped as arrive");
        }
        if (options.shards > 1) {
            assumptions.add(
                    "each of " + options.shards + " shards receives the same share; each worker polls each of them");
        }
        assumptions.add(memory.assumption(plan.quantumBytes()));
        assumptions.add("add 50 % to maxmemory for connections, scripts, replication and fragmentation");
        assumptions.add("no peeks, cancels or redrives; bytes of Redis's protocol, without TCP and TLS");
        return assumptions;
    }

    private static String withoutWorkers(QueuePlan plan) {
        return "jobs are claimed without workers, " + Words.number(plan.jobsOfAClaim())
                + " per call, and acked by another call; some jobs are always due";
    }

    private static String withWorkers(QueueOptions options, QueuePlan plan) {
        return "handling takes 0 to twice " + PlanTime.words(options.handling) + ", a worker's call "
                + PlanTime.words(options.roundTrip) + "; a call claims " + Words.number(plan.jobsOfAClaim())
                + " jobs on average";
    }
}
