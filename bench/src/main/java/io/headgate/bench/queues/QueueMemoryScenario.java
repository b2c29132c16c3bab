package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The memory of delayed and of ready jobs in Redis: that of the whole database, without the memory of connections. */
final class QueueMemoryScenario implements Scenario {

    private final String name;
    private final Arena arena;
    private final Map<String, QueueSubject> subjects = new LinkedHashMap<>();

    QueueMemoryScenario(String name, Arena arena, List<QueueSubject> subjects) {
        this.name = name;
        this.arena = arena;
        subjects.forEach(subject -> this.subjects.put(subject.name(), subject));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return arena.pace().memoryRounds();
    }

    @Override
    public List<String> subjects() {
        return List.copyOf(subjects.keySet());
    }

    @Override
    public Turns open() {
        return new Turns() {
            @Override
            public void take(String name, Recorder into) {
                QueueSubject subject = Lookup.required(subjects, name);
                try (PeerQueue queue = subject.open(arena.redis())) {
                    int jobs = arena.pace().jobs().inMemory() / subject.divisor();
                    into.add(Metrics.BYTES_PER_JOB_DELAYED, bytesPerJob(queue, jobs, () -> queue.enqueueLater(jobs)));
                    into.add(Metrics.BYTES_PER_JOB_READY, bytesPerJob(queue, jobs, () -> queue.enqueueBatches(jobs)));
                    queue.process(jobs, PeerQueue.BATCHES_IN_FLIGHT);
                }
            }

            @Override
            public void close() {
                arena.probe().flushAll();
            }
        };
    }

    private double bytesPerJob(PeerQueue queue, int jobs, Runnable enqueue) {
        // Enqueue once before the measurement, so that scripts and other lasting memory exist.
        empty(queue);
        enqueue.run();
        empty(queue);
        long before = bytes();
        enqueue.run();
        return (double) (bytes() - before) / jobs;
    }

    private void empty(PeerQueue queue) {
        arena.probe().flushAll();
        queue.prepare();
    }

    private long bytes() {
        Map<String, String> memory = arena.probe().info("memory");
        return Long.parseLong(Lookup.required(memory, "used_memory"))
                - Long.parseLong(Lookup.required(memory, "mem_clients_normal"));
    }
}
