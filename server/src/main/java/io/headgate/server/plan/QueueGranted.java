package io.headgate.server.plan;

import io.headgate.redis.capacity.QueuePlan;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;

/** What a plan of a queue takes for granted, in sentences. */
final class QueueGranted {

    private static final double SECONDS_OF_A_DAY = 86_400;

    private QueueGranted() {}

    static List<String> of(QueueOptions told, QueuePlan plan, PlannedMemory memory) {
        List<String> granted = new ArrayList<>();
        granted.add("jobs arrive at random times, all with one priority; jobs per enqueue call: " + told.batch
                + "; concurrent calls are batched and take less");
        if (told.keyed > 0) {
            granted.add("every job key is new");
        }
        if (!told.delay.isZero()) {
            granted.add("every delayed job has its own due time");
        }
        granted.add("at the peak no job was handled for " + PlanTime.words(told.standstill)
                + (told.claim.isPresent() ? "" : "; then all workers have claimed as many jobs as they can"));
        granted.add(told.claim.isPresent() ? byHand(plan) : byWorkers(told, plan));
        if (told.failing > 0) {
            granted.add("attempts fail independently; a job whose attempts all fail becomes a dead letter, "
                    + Words.number(plan.deadLettersPerSecond() * SECONDS_OF_A_DAY) + " a day");
        }
        if (told.dead > 0) {
            granted.add(Words.number(told.dead) + " dead letters are kept, with the causes of "
                    + Words.count(told.attempts, "attempt"));
        }
        if (told.kept().isAny()) {
            granted.add("done jobs are kept as long as allowed, and as many are dropped as arrive");
        }
        if (told.shards > 1) {
            granted.add("each of " + told.shards + " shards receives the same share; each worker polls each of them");
        }
        granted.add(memory.granted(plan.quantumBytes()));
        granted.add("add half as much again to maxmemory for connections, scripts, replication and fragmentation");
        granted.add("no peeks, cancels or redrives; bytes of Redis's protocol, without TCP and TLS");
        return granted;
    }

    private static String byHand(QueuePlan plan) {
        return "jobs are claimed without workers, " + Words.number(plan.jobsOfAClaim())
                + " per call, and acked by another call; some jobs are always due";
    }

    private static String byWorkers(QueueOptions told, QueuePlan plan) {
        return "handling takes 0 to twice " + PlanTime.words(told.handling) + ", a worker's call "
                + PlanTime.words(told.roundTrip) + "; a call claims " + Words.number(plan.jobsOfAClaim())
                + " jobs on average";
    }
}
