package io.headgate.config.sources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * A process that applies the policies of a {@link PolicyStore}.
 *
 * @param name its host and process id, such as {@code web-1:4711}
 * @param version the version in force there
 * @param since when it applied that version, by its own clock
 * @param rejected why it has rejected the latest version, in one line, or cannot read it; empty if it has not
 * @param preview what it has found about the shadow version; empty if it does not evaluate one, or the preview was
 *     not read
 */
public record PolicyInstance(
        String name, String version, Instant since, Optional<String> rejected, Optional<PolicyPreview> preview) {

    private static final String THIS_PROCESS =
            hostName() + ":" + ProcessHandle.current().pid();

    /** Returns the report of this process. */
    public static PolicyInstance ofThisProcess(PolicyStatus status) {
        return new PolicyInstance(
                THIS_PROCESS,
                status.version(),
                status.since(),
                status.rejected().map(PolicyStatus.Rejection::toString),
                status.preview());
    }

    /** Asks the system, and not the network as {@link java.net.InetAddress} does. */
    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException notLinux) {
            return Optional.ofNullable(System.getenv("HOSTNAME"))
                    .or(() -> Optional.ofNullable(System.getenv("COMPUTERNAME")))
                    .orElse("localhost");
        }
    }
}
