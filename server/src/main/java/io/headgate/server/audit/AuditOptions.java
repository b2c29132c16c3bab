package io.headgate.server.audit;

import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.server.cli.StartException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The option {@code --audit-log} of a server, and of a command that makes changes. */
public final class AuditOptions {

    private static final String NAME = "--audit-log";

    @Option(
            names = NAME,
            paramLabel = "FILE",
            defaultValue = "${env:HEADGATE_AUDIT_LOG}",
            description =
                    "Also append each record of the audit log to this file, as a line of JSON. The variable HEADGATE_AUDIT_LOG does the same.")
    private Optional<Path> file = Optional.empty();

    /**
     * Opens the audit log of a command: the file, and then that in Redis.
     *
     * @param stored connects to the audit log in Redis, if there is one
     * @throws StartException if the file cannot be opened for writing, or Redis rejects the connection
     */
    public CommandAudit open(Supplier<Optional<RedisAuditLog>> stored) {
        Optional<AuditFile> opened = openFile();
        return new CommandAudit(opened, stored.get());
    }

    /**
     * Opens the file.
     *
     * @throws StartException if it cannot be opened for writing
     */
    public Optional<AuditFile> openFile() {
        // An empty variable counts as not set.
        return file.filter(path -> !path.toString().isBlank()).map(path -> AuditFile.open(path, NAME));
    }
}
