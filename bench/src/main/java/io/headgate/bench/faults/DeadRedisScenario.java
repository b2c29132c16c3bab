package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Pause;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.limits.Health;
import io.headgate.limits.Limiter;
import io.headgate.redis.limits.RedisLimitEngine;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Decisions while Redis is black-holed: their time before and after the engine notices it, and the threads and heap that they add. */
final class DeadRedisScenario implements Scenario {

    static final String NAME = "dead";
    static final String SUBJECT = "black-holed";

    static final String BEFORE_P99_MILLIS = "beforeP99Millis";
    static final String AFTER_P50_MICROS = "afterP50Micros";
    static final String AFTER_P99_MICROS = "afterP99Micros";
    static final String DECISIONS = "decisions";
    static final String MORE_THREADS = "moreThreads";
    static final String MORE_HEAP_BYTES = "moreHeapBytes";

    /** The number of decisions after which everything that is created only once exists. */
    private static final int WARM_UP = 200_000;

    private static final int USERS = 1_000;
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final int COLLECTIONS = 8;
    private static final Duration BETWEEN_COLLECTIONS = Duration.ofMillis(50);

    private final Arena arena;

    DeadRedisScenario(Arena arena) {
        this.arena = arena;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int rounds() {
        return 1;
    }

    @Override
    public List<String> subjects() {
        return List.of(SUBJECT);
    }

    @Override
    public Turns open() {
        return new OpenScenario();
    }

    private final class OpenScenario implements Turns {

        private final SingleRedis redis = SingleRedis.open();
        private final LimitInstances instances = LimitInstances.open(redis.url(), 1);
        private final List<String> users =
                IntStream.range(0, USERS).mapToObj(i -> "user" + i).toList();

        @Override
        public void take(String subject, Recorder into) {
            RedisLimitEngine engine = instances.engine(0);
            Limiter limiter = instances.limiter(0);
            // One instance for all phases, as it uses memory.
            Histogram took = new Histogram(LONGEST_NANOS, 3);
            decide(limiter, WARM_UP / 10, took);
            redis.proxy().blackHole();
            took.reset();
            while (engine.health() != Health.DEGRADED) {
                decide(limiter, 1, took);
            }
            into.add(BEFORE_P99_MILLIS, took.getValueAtPercentile(99) / 1e6);
            decide(limiter, WARM_UP, took);
            took.reset();
            int threads = Thread.activeCount();
            long heap = heap();
            decide(limiter, arena.pace().faults().decisions(), took);
            into.add(DECISIONS, took.getTotalCount());
            into.add(AFTER_P50_MICROS, took.getValueAtPercentile(50) / 1e3);
            into.add(AFTER_P99_MICROS, took.getValueAtPercentile(99) / 1e3);
            into.add(MORE_THREADS, Thread.activeCount() - threads);
            into.add(MORE_HEAP_BYTES, heap() - heap);
        }

        private void decide(Limiter limiter, int times, Histogram took) {
            for (int i = 0; i < times; i++) {
                long start = System.nanoTime();
                limiter.tryAcquire(users.get(i % USERS));
                took.recordValue(System.nanoTime() - start);
            }
        }

        @Override
        public void close() {
            instances.close();
            redis.close();
        }
    }

    /** The smallest heap after several collections, as some garbage needs more than one. */
    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Pause.of(BETWEEN_COLLECTIONS);
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
