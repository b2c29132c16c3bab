package io.headgate.bench;

import java.io.PrintWriter;

/** Something that is drawn from the readings of several subjects, and printed below the tables. */
@FunctionalInterface
interface Overview {

    /** Prints it, if what it needs was measured. */
    void print(Readings readings, PrintWriter out);
}
