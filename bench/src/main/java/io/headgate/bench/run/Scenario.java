package io.headgate.bench.run;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.testkit.RedisProbe;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A way to use limits or queues, in which several subjects are measured in turn. */
public interface Scenario {

    /** Its name in tables and in JSON. */
    String name();

    /** The number of rounds; each subject has a turn in each round. */
    int rounds();

    /** The subjects, in the order of their turns. */
    List<String> subjects();

    /** Prepares all turns, and warms up. */
    Turns open();

    /** An open scenario. */
    interface Turns extends AutoCloseable {

        /** Measures one subject once. */
        void take(String subject, Recorder into);

        @Override
        void close();
    }

    /** The Redis, a probe of it, and the pace of a run. */
    record Arena(RedisAccess redis, RedisProbe probe, Pace pace) {}

    /**
     * A scenario of independent trials, each of which starts and closes its own Redis.
     *
     * @param name the name in tables and in JSON
     * @param bySubject the trials by subject, in the order of the turns
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
