package io.headgate.bench.limits;

import io.headgate.bench.limits.LocalSubject.LocalGate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A JMH benchmark of a limiter in memory. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class LocalBenchmark {

    /** The limiters by subject, which later turns use again. */
    private static final Map<String, LocalGate> GATES = new ConcurrentHashMap<>();

    /** The name of a {@link LocalSubject}. */
    @Param("HEADGATE")
    @SuppressWarnings("NullAway.Init") // set by JMH
    public String subject;

    /** The number of keys. */
    @Param("1")
    public int keys;

    @SuppressWarnings("NullAway.Init") // set before the first call
    private LocalGate gate;

    /** The keys in random order, which defeats CPU caches. */
    @SuppressWarnings("NullAway.Init") // set before the first call
    private String[] ids;

    /** The position of a thread in the list of keys; each starts at a random one. */
    @State(Scope.Thread)
    public static class Cursor {

        private int at;

        /** Chooses the first position. */
        @Setup
        public void begin(LocalBenchmark benchmark) {
            at = ThreadLocalRandom.current().nextInt(benchmark.keys);
        }

        private String next(String[] ids) {
            at = at + 1 == ids.length ? 0 : at + 1;
            return ids[at];
        }
    }

    /** Creates the keys, and the limiter unless this process has one already. */
    @Setup
    public void open() {
        List<String> shuffled = new ArrayList<>(IntStream.range(0, keys)
                .mapToObj(LocalSubject.valueOf(subject)::key)
                .toList());
        Collections.shuffle(shuffled, new Random(keys));
        ids = shuffled.toArray(String[]::new);
        gate = GATES.computeIfAbsent(subject, name -> LocalSubject.valueOf(name).open(keys > 1));
    }

    /** Makes one decision. */
    @Benchmark
    public boolean decide(Cursor cursor) {
        return gate.tryAcquire(cursor.next(ids));
    }
}
