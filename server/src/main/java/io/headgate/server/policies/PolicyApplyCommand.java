package io.headgate.server.policies;

import io.headgate.config.sources.PolicyDocument;
import io.headgate.server.cli.Version;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headgate policy apply}: writes policies to Redis, etcd or Consul, from where servers apply them. */
@Command(
        name = "apply",
        description = {
            "Checks policies, and writes them to Redis, etcd or Consul. Servers with --policies redis, etcd or consul apply them within a second.",
            "To change the policies of a server that reads a file, replace the file."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Exit codes: 0 written or unchanged, 1 not written, as somebody else has written, or the store fails, 2 invalid."
        })
final class PolicyApplyCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "A file with policies, or a directory with such files.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path file;

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "TEXT",
            description = "Why, for the history: 1 to 1000 characters.")
    private String reason = "";

    @Option(
            names = "--shadow",
            description = {
                "Write the shadow version instead: servers evaluate it beside the current version, and do not apply it.",
                "headgate policy preview shows what it would have denied. To apply it, apply the same file without --shadow."
            })
    private boolean shadow;

    @Mixin
    private PolicyWriter writer = new PolicyWriter();

    @Override
    public Integer call() {
        PolicyDocument read = PolicyArguments.documentToStore(file);
        PolicyArguments.policies(read); // throws if they are invalid, with the paths of the files
        PolicyDocument next = PolicyArguments.withFileNames(read);
        return writer.write(
                store -> shadow ? PolicyEdit.inShadow(store, next) : PolicyEdit.of(store, next), reason, false);
    }
}
