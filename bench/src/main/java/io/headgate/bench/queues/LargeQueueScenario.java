package io.headgate.bench.queues;

import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Queues of ours that are as large as they may get, and for how long a call of theirs keeps Redis to itself. */
final class LargeQueueScenario implements Scenario {

    private final String name;
    private final Arena arena;
    private final Map<String, LargeQueueLoad> loads = new LinkedHashMap<>();

    LargeQueueScenario(String name, Arena arena) {
        this.name = name;
        this.arena = arena;
        LargeQueueLoads.all(arena.pace().jobs().large()).forEach(load -> loads.put(load.name(), load));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public List<String> subjects() {
        return List.copyOf(loads.keySet());
    }

    @Override
    public Turns open() {
        return new Turns() {
            @Override
            public void take(String name, Recorder into) {
                arena.probe().flushAll();
                try (QueueEngine queues = HeadgateJobs.engine(arena.redis());
                        SlowCalls slow = new SlowCalls(arena.probe())) {
                    JobQueue<byte[]> queue = queues.queue(LargeQueueLoads.SETTINGS, Codec.bytes());
                    long start = System.nanoTime();
                    long jobs = Lookup.required(loads, name).run(queue);
                    into.add(Metrics.JOBS_PER_SECOND, jobs * 1e9 / (System.nanoTime() - start));
                    into.add(Metrics.LONGEST_CALL_MICROS, slow.longestMicros());
                    into.add(Metrics.LONG_CALLS, slow.count());
                }
            }

            @Override
            public void close() {
                arena.probe().flushAll();
            }
        };
    }
}
