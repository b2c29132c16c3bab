package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Enqueued;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Encodes the arguments of enqueue scripts, and decodes their replies: the outcome of each job of a group, or empty for a group that a
 * full queue rejected.
 */
public final class EnqueueCodec {

    /**
     * The maximum number of jobs of a run, which are stored together because they are due at the same time. Runs are short, because a claim
     * reads a whole run, and cancelling a job rewrites one.
     */
    public static final int MAX_JOBS_OF_A_RUN = 32;

    public static final int MAX_BYTES_OF_A_RUN = 8 << 10;

    private static final int BYTES_OF_A_JOB = 15;
    private static final int FULL = 3;
    private static final int NUMBER_BYTES = 6;
    private static final int TIME_BYTES = 7;
    private static final List<Enqueued.Outcome> OUTCOMES =
            List.of(Enqueued.Outcome.ADDED, Enqueued.Outcome.REPLACED, Enqueued.Outcome.SAME);

    private EnqueueCodec() {}

    /** The arguments of enqueue_now in enqueue.lua: groups of plain jobs, which have no key and are due now. */
    public static List<byte[]> runs(long maxJobs, List<EnqueueGroup> groups) {
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
            for (EnqueueGroup.Entry job : group.jobs()) {
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

    /**
     * The arguments of enqueue in enqueue.lua: groups of any jobs.
     *
     * @param onePriority whether the call has the Redis keys of only one priority, see {@link #haveOnePriority}
     */
    public static List<byte[]> jobs(long maxJobs, List<EnqueueGroup> groups, boolean onePriority) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(new Packed().number(maxJobs, 6).bytes());
        for (EnqueueGroup group : groups) {
            int groupSize = group.jobs().size();
            for (EnqueueGroup.Entry job : group.jobs()) {
                arguments.add(job.argument(groupSize, onePriority ? 1 : 1 + Levels.of(job.priority())));
                arguments.add(job.record());
                groupSize = 0;
            }
        }
        return arguments;
    }

    /** Whether a call needs only the Redis keys of one priority: all jobs have this priority, and none has a job key or a tenant. */
    public static boolean haveOnePriority(List<EnqueueGroup> groups) {
        Priority first = groups.get(0).jobs().get(0).priority();
        return groups.stream()
                .flatMap(group -> group.jobs().stream())
                .allMatch(job -> !job.hasKey() && job.lane().equals(new EnqueueGroup.Lane(first, Optional.empty())));
    }

    /** Reads the reply of enqueue_now in enqueue.lua for groups of these sizes. */
    public static List<Optional<List<Enqueued>>> ofRuns(
            int shard, byte[] reply, EnqueueGroup.Lane lane, List<Integer> groups) {
        boolean all = reply.length == NUMBER_BYTES + TIME_BYTES;
        if (!all && reply.length != NUMBER_BYTES + TIME_BYTES + groups.size()) {
            throw new IllegalArgumentException(reply.length + " bytes for " + groups.size() + " groups");
        }
        long due = Packed.number(reply, NUMBER_BYTES, TIME_BYTES);
        long next = Packed.number(reply, 0, NUMBER_BYTES);
        List<Optional<List<Enqueued>>> enqueued = new ArrayList<>(groups.size());
        for (int group = 0; group < groups.size(); group++) {
            if (all || reply[NUMBER_BYTES + TIME_BYTES + group] != 0) {
                int size = groups.get(group);
                enqueued.add(Optional.of(added(shard, lane, due, next, size)));
                next += size;
            } else {
                enqueued.add(Optional.empty());
            }
        }
        return enqueued;
    }

    private static List<Enqueued> added(int shard, EnqueueGroup.Lane lane, long due, long first, int size) {
        List<Enqueued> added = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            added.add(new Enqueued(
                    Enqueued.Outcome.ADDED, JobIds.of(shard, lane.priority(), due, first + i, lane.tenant())));
        }
        return added;
    }

    /** Reads the reply of enqueue in enqueue.lua for these groups. */
    public static List<Optional<List<Enqueued>>> ofJobs(int shard, byte[] reply, List<EnqueueGroup> groups) {
        int jobs = groups.stream().mapToInt(group -> group.jobs().size()).sum();
        if (reply.length != jobs * BYTES_OF_A_JOB) {
            throw new IllegalArgumentException(reply.length + " bytes for " + jobs + " jobs");
        }
        List<Optional<List<Enqueued>>> enqueued = new ArrayList<>(groups.size());
        int from = 0;
        for (EnqueueGroup group : groups) {
            enqueued.add(ofGroup(shard, reply, from, group));
            from += group.jobs().size();
        }
        return enqueued;
    }

    private static Optional<List<Enqueued>> ofGroup(int shard, byte[] reply, int from, EnqueueGroup group) {
        return reply[from * BYTES_OF_A_JOB] == FULL
                ? Optional.empty()
                : Optional.of(IntStream.range(0, group.jobs().size())
                        .mapToObj(i -> ofJob(
                                shard,
                                reply,
                                (from + i) * BYTES_OF_A_JOB,
                                group.jobs().get(i).lane().tenant()))
                        .toList());
    }

    /**
     * Reads the outcome of one job. If another job has its key, the id is that of the other job; the two have the same tenant, because
     * keys are unique within a tenant.
     */
    private static Enqueued ofJob(int shard, byte[] reply, int at, Optional<String> tenant) {
        Priority priority = Levels.priority(reply[at + 1]);
        long number = Packed.number(reply, at + 2, NUMBER_BYTES);
        long firstDue = Packed.number(reply, at + 2 + NUMBER_BYTES, TIME_BYTES);
        return new Enqueued(OUTCOMES.get(reply[at]), JobIds.of(shard, priority, firstDue, number, tenant));
    }
}
