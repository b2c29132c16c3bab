package io.headgate.bench;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Asks a limiter in memory as often as it can, for JMH. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class LocalBenchmark {

    /** The name of a {@link LocalSubject}. */
    @Param("HEADGATE")
    @SuppressWarnings("NullAway.Init") // set by JMH
    public String subject;

    /** How many keys are asked for, in an order that no cache foresees. */
    @Param("1")
    public int keys;

    @SuppressWarnings("NullAway.Init") // set before the first call
    private LocalGate gate;

    @SuppressWarnings("NullAway.Init") // set before the first call
    private String[] ids;

    /** Where a thread is in the list of keys. */
    @State(Scope.Thread)
    public static class Cursor {

        private int at = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);

        private String next(String[] ids) {
            at = at + 1 >= ids.length ? 0 : at + 1;
            return ids[at];
        }
    }

    /** Makes the limiter, and lets it know every key. */
    @Setup
    public void open() {
        gate = LocalSubject.valueOf(subject).open(keys > 1);
        List<String> shuffled =
                IntStream.range(0, keys).mapToObj(i -> "user" + i).collect(Collectors.toList());
        Collections.shuffle(shuffled, new Random(keys));
        ids = shuffled.toArray(String[]::new);
        for (String id : ids) {
            gate.ask(id);
        }
    }

    /** Asks once. */
    @Benchmark
    public boolean ask(Cursor cursor) {
        return gate.ask(cursor.next(ids));
    }
}
