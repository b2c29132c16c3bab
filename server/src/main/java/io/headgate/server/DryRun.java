package io.headgate.server;

import picocli.CommandLine.Option;

/** The option of a command that can say what it would do instead of doing it. */
final class DryRun {

    @Option(names = "--dry-run", description = "Say what would happen, and change nothing.")
    private boolean on;

    boolean isOn() {
        return on;
    }
}
