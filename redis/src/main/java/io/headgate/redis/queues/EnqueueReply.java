package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Reads the replies of enqueue scripts: the outcomes of each group of jobs, empty for a group that a full queue rejected. */
final class EnqueueReply {

    private static final int BYTES_OF_A_JOB = 15;
    private static final int FULL = 3;
    private static final int NUMBER_BYTES = 6;
    private static final int TIME_BYTES = 7;
    private static final List<Enqueued.Outcome> OUTCOMES =
            List.of(Enqueued.Outcome.ADDED, Enqueued.Outcome.REPLACED, Enqueued.Outcome.SAME);

    private EnqueueReply() {}

    /** Reads the reply of enqueue_now.lua for groups of these sizes. */
    static List<Optional<List<Enqueued>>> ofRuns(int shard, byte[] reply, Priority priority, List<Integer> groups) {
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
                enqueued.add(Optional.of(added(shard, priority, due, next, size)));
                next += size;
            } else {
                enqueued.add(Optional.empty());
            }
        }
        return enqueued;
    }

    private static List<Enqueued> added(int shard, Priority priority, long due, long first, int size) {
        List<Enqueued> added = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            added.add(new Enqueued(Enqueued.Outcome.ADDED, JobIds.of(shard, priority, due, first + i)));
        }
        return added;
    }

    /** Reads the reply of enqueue.lua for groups of these sizes. */
    static List<Optional<List<Enqueued>>> ofJobs(int shard, byte[] reply, List<Integer> groups) {
        int jobs = groups.stream().mapToInt(Integer::intValue).sum();
        if (reply.length != jobs * BYTES_OF_A_JOB) {
            throw new IllegalArgumentException(reply.length + " bytes for " + jobs + " jobs");
        }
        List<Optional<List<Enqueued>>> enqueued = new ArrayList<>(groups.size());
        int from = 0;
        for (int size : groups) {
            enqueued.add(ofGroup(shard, reply, from, size));
            from += size;
        }
        return enqueued;
    }

    private static Optional<List<Enqueued>> ofGroup(int shard, byte[] reply, int from, int size) {
        return reply[from * BYTES_OF_A_JOB] == FULL
                ? Optional.empty()
                : Optional.of(IntStream.range(from, from + size)
                        .mapToObj(job -> ofJob(shard, reply, job * BYTES_OF_A_JOB))
                        .toList());
    }

    private static Enqueued ofJob(int shard, byte[] reply, int at) {
        Priority priority = Levels.priority(reply[at + 1]);
        long number = Packed.number(reply, at + 2, NUMBER_BYTES);
        long firstDue = Packed.number(reply, at + 2 + NUMBER_BYTES, TIME_BYTES);
        return new Enqueued(OUTCOMES.get(reply[at]), JobIds.of(shard, priority, firstDue, number));
    }
}
