package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Priority;
import java.util.List;

/** The numbers of priorities: part of keys, records and ids, so they never change. */
public final class Levels {

    private static final List<Priority> PRIORITIES = List.of(Priority.HIGH, Priority.NORMAL, Priority.LOW);

    static final int COUNT = PRIORITIES.size();

    private Levels() {}

    static int of(Priority priority) {
        return PRIORITIES.indexOf(priority);
    }

    /** The priority of that number, which is below {@link #COUNT}. */
    public static Priority priority(int level) {
        return PRIORITIES.get(level);
    }
}
