package io.headgate.server.cli;

import picocli.CommandLine.Option;

/** The option of a command that can say what it would do instead of doing it. */
public final class DryRun {

    @Option(names = "--dry-run", description = "Show what would happen, and change nothing.")
    private boolean on;

    public boolean isOn() {
        return on;
    }
}
