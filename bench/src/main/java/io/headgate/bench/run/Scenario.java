package io.headgate.bench.run;

import io.headgate.bench.report.Recorder;
import java.util.List;

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
}
