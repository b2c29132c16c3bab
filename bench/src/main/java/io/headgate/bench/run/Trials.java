package io.headgate.bench.run;

import io.headgate.bench.report.Recorder;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Trials of Redis in trouble, each at a place of its own, which it opens and closes: so there is nothing to prepare.
 *
 * @param name in tables and in JSON
 * @param bySubject in the order of the turns
 */
public record Trials(Arena arena, String name, Map<String, Consumer<Recorder>> bySubject) implements Scenario {

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
