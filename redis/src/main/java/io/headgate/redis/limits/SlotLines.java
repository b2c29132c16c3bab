package io.headgate.redis.limits;

import io.lettuce.core.cluster.SlotHash;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Sends the requests of one limiter to a Cluster: those of one slot in a line of their own, as one call may have keys of one slot
 * only. Lines do not wait for each other, so calls of different slots are under way batch. A line is there as long as requests
 * are in it, which bounds how many there are.
 */
final class SlotLines implements Requests {

    private final Supplier<Coalescer> lines;
    private final ConcurrentHashMap<Integer, Line> bySlot = new ConcurrentHashMap<>();

    /** Requests of one slot. How many there are changes only while the map holds its entry. */
    private static final class Line {

        private final Coalescer requests;
        private int size;

        Line(Coalescer requests) {
            this.requests = requests;
        }
    }

    /** Without requests. */
    SlotLines(Supplier<Coalescer> lines) {
        this.lines = lines;
    }

    @Override
    public void send(PendingRequest pending) {
        Integer slot = SlotHash.getSlot(pending.request().keys()[0]);
        Line line = bySlot.compute(slot, (same, there) -> {
            Line entered = there == null ? new Line(lines.get()) : there;
            entered.size++;
            return entered;
        });
        pending.whenComplete((decision, problem) -> leave(slot));
        line.requests.send(pending);
    }

    private void leave(Integer slot) {
        bySlot.computeIfPresent(slot, (same, line) -> --line.size == 0 ? null : line);
    }

    @Override
    public boolean endInTime() {
        return true;
    }

    @Override
    public void flush() {
        bySlot.values().forEach(line -> line.requests.flush());
    }

    /** How many slots have requests. */
    int size() {
        return bySlot.size();
    }
}
