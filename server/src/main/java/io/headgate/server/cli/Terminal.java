package io.headgate.server.cli;

import java.io.Console;
import java.util.Optional;

/** The terminal of the user, if there is one. */
final class Terminal {

    private Terminal() {}

    /** Empty if input or output is not a terminal, for example a file or a pipe. */
    @SuppressWarnings("SystemConsoleNull") // checked by reflection for newer Java versions
    static Optional<Console> find() {
        Console console = System.console();
        return console == null || !isTerminal(console) ? Optional.empty() : Optional.of(console);
    }

    /**
     * Calls {@code Console.isTerminal()}, which newer Java versions have: they always return a console. Older versions return a console
     * only at a terminal.
     */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
