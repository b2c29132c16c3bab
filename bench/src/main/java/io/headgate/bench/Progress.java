package io.headgate.bench;

import java.io.PrintWriter;
import java.time.Duration;

/** Says how far it is: on a terminal in one line that changes, else in a line for each round. */
final class Progress {

    /** Set by the launcher: whether there is a terminal, where a line can be written over. */
    static final String TERMINAL_PROPERTY = "headgate.terminal";

    private static final String ERASE_LINE = "\r\u001b[2K";

    private final PrintWriter out;
    private final boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    private final long startNanos = System.nanoTime();

    Progress(PrintWriter out) {
        this.out = out;
    }

    /** A scenario prepares itself. */
    void opening(String scenario) {
        if (terminal) {
            show(scenario + ": running in");
        }
    }

    /** The turn of a subject begins. */
    void turn(String scenario, int round, int rounds, String subject, boolean firstOfRound) {
        String where = scenario + ": round " + round + " of " + rounds;
        if (terminal) {
            show(where + ", " + subject);
        } else if (firstOfRound) {
            show(where);
        }
    }

    private void show(String what) {
        String line = clock(elapsed()) + "  " + what;
        if (terminal) {
            out.print(ERASE_LINE + line);
        } else {
            out.println(line);
        }
        out.flush();
    }

    /** Removes the line that changes. */
    void end() {
        if (terminal) {
            out.print(ERASE_LINE);
            out.flush();
        }
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** Minutes and seconds, such as 4:07. */
    static String clock(Duration time) {
        return String.format("%d:%02d", time.toMinutes(), time.toSecondsPart());
    }
}
