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
        granted.add("jobs come at random instants, all of one priority; each enqueue call brings " + told.batch
                + "; those that many threads make at once travel together, and take less");
        if (told.keyed > 0) {
            granted.add("no key of a job is there already");
        }
        if (!told.delay.isZero()) {
            granted.add("delayed jobs are due each at a time of its own");
        }
        granted.add("at the peak nothing was handled for " + PlanTime.words(told.standstill)
                + (told.claim.isPresent() ? "" : "; then all workers have as many jobs in hand as they take"));
        granted.add(told.claim.isPresent() ? byHand(plan) : byWorkers(told, plan));
        if (told.failing > 0) {
            granted.add(
                    "an attempt fails by chance, whatever came before; of a job whose attempts all fail comes a dead letter, "
                            + Words.number(plan.deadLettersPerSecond() * SECONDS_OF_A_DAY) + " a day");
        }
        if (told.dead > 0) {
            granted.add(Words.number(told.dead) + " dead letters are kept, with what all "
                    + Words.count(told.attempts, "attempt") + " failed of");
        }
        if (told.kept().isAny()) {
            granted.add("done jobs are kept as long as they may be, and as many are dropped as come");
        }
        if (told.shards > 1) {
            granted.add("to each of " + told.shards + " shards comes as much; each worker asks each of them");
        }
        granted.add(memory.granted(plan.quantumBytes()));
        granted.add("give maxmemory half as much again for connections, scripts, replication and fragmentation");
        granted.add("nobody looks, cancels or redrives; bytes are those of Redis's protocol, without TCP and TLS");
        return granted;
    }

    private static String byHand(QueuePlan plan) {
        return "jobs are claimed by hand, " + Words.number(plan.jobsOfAClaim())
                + " by a call, and acked by another; there are always some due";
    }

    private static String byWorkers(QueueOptions told, QueuePlan plan) {
        return "handling takes from nothing to twice " + PlanTime.words(told.handling) + ", a worker's call "
                + PlanTime.words(told.roundTrip) + "; one hands out " + Words.number(plan.jobsOfAClaim())
                + " jobs on average";
    }
}
