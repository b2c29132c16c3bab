package io.headgate.server.cli;

import java.io.Console;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that deletes data or changes many jobs: it asks for confirmation, or is a dry run. */
public final class Confirmation {

    private static final Set<String> YES = Set.of("y", "yes");

    @Option(names = "--yes", description = "Do not ask for confirmation. Required without a terminal.")
    private boolean yes;

    @Mixin
    private DryRun dryRun = new DryRun();

    public boolean isDryRun() {
        return dryRun.isOn();
    }

    /**
     * Rejects a command that the user cannot confirm: there is no terminal, and neither {@code --yes} nor {@code --dry-run} is given. Call
     * it before the command reads anything.
     *
     * @param what the command, for the error
     */
    public void requireConfirmable(String what) {
        if (!yes && !isDryRun() && Terminal.find().isEmpty()) {
            throw StartException.wrongInput(
                    what
                            + " needs confirmation, and there is no terminal; give --yes, or --dry-run to see what it would do. Nothing was changed");
        }
    }

    /**
     * Asks at the terminal, unless {@code --yes} is given.
     *
     * @param question for example {@code Remove all jobs?}
     * @throws StartException if the answer is neither {@code y} nor {@code yes}, or there is no terminal
     */
    public void require(String question) {
        if (yes) {
            return;
        }
        Optional<Console> terminal = Terminal.find();
        Optional<String> answer = terminal.map(console -> console.readLine("%s [y/N] ", question));
        if (answer.filter(text -> YES.contains(text.strip().toLowerCase(Locale.ROOT)))
                .isEmpty()) {
            throw StartException.wrongInput("not confirmed; nothing was changed");
        }
    }
}
