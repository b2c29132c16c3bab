package io.headgate.server.cli;

import picocli.CommandLine.Option;

/** The option {@code --dry-run}: the command prints what it would do, and changes nothing. */
public final class DryRun {

    @Option(names = "--dry-run", description = "Show what would happen, and change nothing.")
    private boolean on;

    public boolean isOn() {
        return on;
    }
}
