package io.headgate.bench.run;

import java.io.PrintWriter;
import java.time.Duration;

/** Says how far it is: on a terminal in one line that changes, elsewhere in a line for each scenario. */
final class Progress {

    /** Set by the launcher: whether there is a terminal, where a line can be written over. */
    static final String TERMINAL_PROPERTY = "headgate.terminal";

    private static final String ERASE_LINE = "\r\u001b[2K";

    private final PrintWriter out;
    private final boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    private final long startNanos = System.nanoTime();
    private String where = "";

    Progress(PrintWriter out) {
        this.out = out;
    }

    /** A scenario prepares itself. */
    void opening(String scenario) {
        where = scenario;
        show("");
        if (!terminal) {
            out.println();
            out.flush();
        }
    }

    /** A round begins. */
    void round(String scenario, int round, int rounds) {
        where = scenario + ": round " + round + " of " + rounds;
    }

    /** The turn of a subject begins. */
    void turn(String subject) {
        if (terminal) {
            show(", " + subject);
        }
    }

    private void show(String more) {
        out.print((terminal ? ERASE_LINE : "") + clock(elapsed()) + "  " + where + more);
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
