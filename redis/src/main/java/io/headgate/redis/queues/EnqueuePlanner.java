package io.headgate.redis.queues;

import io.headgate.queues.Priority;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.List;

/** The arguments of enqueue scripts. */
final class EnqueuePlanner {

    /** The size of a run: a claim reads at least one run, and cancelling a job rewrites one. */
    static final int MAX_JOBS_OF_A_RUN = 32;

    static final int MAX_BYTES_OF_A_RUN = 8 << 10;

    private EnqueuePlanner() {}

    /** The arguments of enqueue_now.lua: groups of plain jobs. */
    static List<byte[]> runs(long maxJobs, List<EnqueueGroup> groups) {
        List<byte[]> arguments = new ArrayList<>();
        Packed sizes = new Packed();
        groups.forEach(group -> sizes.number(group.jobs().size(), 2));
        int jobs = groups.stream().mapToInt(group -> group.jobs().size()).sum();
        arguments.add(new Packed().number(maxJobs, 6).number(jobs, 2).bytes());
        Packed counts = new Packed();
        List<byte[]> runs = new ArrayList<>();
        List<byte[]> run = new ArrayList<>();
        int bytes = 0;
        for (EnqueueGroup group : groups) {
            for (EnqueueEntry job : group.jobs()) {
                boolean full = run.size() == MAX_JOBS_OF_A_RUN || bytes + job.record().length > MAX_BYTES_OF_A_RUN;
                if (full && !run.isEmpty()) {
                    counts.number(run.size(), 2);
                    runs.add(Packed.joined(run.toArray(byte[][]::new)));
                    run.clear();
                    bytes = 0;
                }
                run.add(job.record());
                bytes += job.record().length;
            }
        }
        counts.number(run.size(), 2);
        runs.add(Packed.joined(run.toArray(byte[][]::new)));
        arguments.add(sizes.bytes());
        arguments.add(counts.bytes());
        arguments.addAll(runs);
        return arguments;
    }

    /** The arguments of enqueue.lua: groups of any jobs, with the keys of all priorities, or of only one. */
    static List<byte[]> jobs(long maxJobs, List<EnqueueGroup> groups, boolean onePriority) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(new Packed().number(maxJobs, 6).bytes());
        for (EnqueueGroup group : groups) {
            int together = group.jobs().size();
            for (EnqueueEntry job : group.jobs()) {
                arguments.add(job.argument(together, onePriority ? 1 : 1 + Levels.of(job.priority())));
                arguments.add(job.record());
                together = 0;
            }
        }
        return arguments;
    }

    /** Whether enqueue.lua needs only the keys of one priority. */
    static boolean haveOnePriority(List<EnqueueGroup> groups) {
        Priority first = groups.get(0).jobs().get(0).priority();
        return groups.stream()
                .flatMap(group -> group.jobs().stream())
                .allMatch(job -> !job.hasKey() && job.priority() == first);
    }
}
