package io.headgate.bench.report;

import java.io.PrintWriter;

/** Something that is drawn from the readings of several subjects, and printed below the tables. */
@FunctionalInterface
public interface Overview {

    /** Prints it, if what it needs was measured. */
    void print(Readings readings, PrintWriter out);
}
