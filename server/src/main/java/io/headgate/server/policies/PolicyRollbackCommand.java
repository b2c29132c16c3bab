package io.headgate.server.policies;

import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyStore;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Quoted;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headgate policy rollback}: writes the policies of a previous version again, as a new version. */
@Command(
        name = "rollback",
        description = "Writes the policies of a previous version in Redis, etcd or Consul again, as a new version.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Exit codes: 0 written, 1 not written, as somebody else has written, or the store fails, 2 invalid."
        })
final class PolicyRollbackCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "VERSION",
            description = "The version, or its number, as headgate policy history prints it.")
    private String version = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why, for the history: 1 to 1000 characters; by default: roll back to VERSION.")
    private Optional<String> reason = Optional.empty();

    @Mixin
    private PolicyWriter writer = new PolicyWriter();

    @Override
    public Integer call() {
        return writer.write(
                store -> PolicyEdit.of(store, previous(store)), reason.orElse("roll back to " + version), true);
    }

    private PolicyDocument previous(PolicyStore store) {
        return store.find(version)
                .orElseThrow(() -> StartException.wrongInput("there is no version " + Quoted.of(version)
                        + "; headgate policy history lists those that are kept. Nothing was changed"));
    }
}
