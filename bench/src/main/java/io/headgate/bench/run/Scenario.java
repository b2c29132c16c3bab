package io.headgate.bench.run;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.testkit.RedisProbe;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A way to use limits, in which several subjects are measured by turns. */
public interface Scenario {

    /** Its name in tables and in JSON. */
    String name();

    /** How many rounds it has. */
    int rounds();

    /** What takes part, in the order of the turns. */
    List<String> subjects();

    /** Prepares what all turns need, and lets it run in. */
    Turns open();

    /** An open scenario. */
    interface Turns extends AutoCloseable {

        /** Measures one subject once. */
        void take(String subject, Recorder into);

        @Override
        void close();
    }

    /** Where it all takes place: the Redis, a probe of it, and the pace. */
    record Arena(RedisAccess redis, RedisProbe probe, Pace pace) {}

    /**
     * Trials of Redis in trouble, each at a place of its own, which it opens and closes: so there is nothing to prepare.
     *
     * @param name in tables and in JSON
     * @param bySubject in the order of the turns
     */
    record Trials(Arena arena, String name, Map<String, Consumer<Recorder>> bySubject) implements Scenario {

        @Override
        public int rounds() {
            return arena.pace().faults().rounds();
        }

        @Override
        public List<String> subjects() {
            return List.copyOf(bySubject.keySet());
        }

        @Override
        public Turns open() {
            return new Turns() {

                @Override
                public void take(String subject, Recorder into) {
                    Consumer<Recorder> trial = bySubject.get(subject);
                    if (trial == null) {
                        throw new IllegalArgumentException("there is no " + subject + " in " + name);
                    }
                    trial.accept(into);
                }

                @Override
                public void close() {}
            };
        }
    }
}
