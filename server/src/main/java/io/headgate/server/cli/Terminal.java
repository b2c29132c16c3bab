package io.headgate.server.cli;

import java.io.Console;
import java.util.Optional;

/** The terminal at which somebody sits who can be asked, if there is one. */
final class Terminal {

    private Terminal() {}

    /** Empty where input or output is something else, such as a file, a pipe or nothing. */
    @SuppressWarnings("SystemConsoleNull") // what newer Javas have instead is looked at, too
    static Optional<Console> find() {
        Console console = System.console();
        return console == null || !isTerminal(console) ? Optional.empty() : Optional.of(console);
    }

    /** Newer Javas have a console always, and this method to tell; older ones have one only at a terminal. */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
