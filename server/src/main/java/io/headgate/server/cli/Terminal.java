package io.headgate.server.cli;

import java.io.Console;
import java.util.Optional;

/** The terminal of the user, if there is one. */
final class Terminal {

    private Terminal() {}

    /** Empty if input or output is not a terminal, for example a file or a pipe. */
    @SuppressWarnings("SystemConsoleNull") // null without a terminal before Java 22, and since Java 25
    static Optional<Console> find() {
        Console console = System.console();
        return console == null || !isTerminal(console) ? Optional.empty() : Optional.of(console);
    }

    /**
     * Calls {@code Console.isTerminal()}, which exists since Java 22. By default, Java 22 to 24 return a console even without a terminal;
     * other versions return null then.
     */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
