package io.headgate.bench.queues;

import io.headgate.bench.queues.LargeQueueLoads.LargeQueueLoad;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.testkit.RedisProbe;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Very large queues of Headgate, and how long their calls block Redis. */
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

    /** The script calls that block Redis for long, read from its slow log. */
    static final class SlowCalls implements AutoCloseable {

        private static final long LONG_MICROS = 5000;
        private static final String LOGGED_MICROS = "500";

        private final RedisProbe probe;

        SlowCalls(RedisProbe probe) {
            this.probe = probe;
            set(LOGGED_MICROS);
            probe.command("CONFIG", "SET", "slowlog-max-len", "100000");
            probe.command("SLOWLOG", "RESET");
        }

        /** Sets the execution time from which on Redis logs a call. */
        private void set(String micros) {
            probe.command("CONFIG", "SET", "slowlog-log-slower-than", micros);
        }

        /** The time of the longest script; 0 if none was logged. */
        long longestMicros() {
            return micros().stream().mapToLong(Long::longValue).max().orElse(0);
        }

        /** The number of scripts above 5 ms. */
        long count() {
            return micros().stream().filter(taken -> taken > LONG_MICROS).count();
        }

        private List<Long> micros() {
            List<?> entries = (List<?>) required(probe.command("SLOWLOG", "GET", "-1"));
            return entries.stream()
                    .map(List.class::cast)
                    .filter(entry -> "EVALSHA"
                            .equalsIgnoreCase(((List<?>) entry.get(3)).get(0).toString()))
                    .map(entry -> Long.parseLong(entry.get(2).toString()))
                    .toList();
        }

        private static Object required(@org.jspecify.annotations.Nullable Object reply) {
            if (reply == null) {
                throw new IllegalStateException("SLOWLOG GET replied nil");
            }
            return reply;
        }

        @Override
        public void close() {
            set("10000");
            probe.command("SLOWLOG", "RESET");
        }
    }
}
