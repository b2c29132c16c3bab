package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.server.cli.StartException;
import io.headgate.server.limits.ProxyRequest;
import java.nio.file.Path;

/** Reads the policies that a user names on the command line. Ends the command if they are invalid. */
final class PolicyArguments {

    private PolicyArguments() {}

    static PolicyDocument document(Path file) {
        try (FilePolicySource source = FilePolicySource.of(file)) {
            return source.read();
        } catch (ConfigException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the document with the names of its files instead of their paths, which mean nothing on other machines. */
    static PolicyDocument withFileNames(PolicyDocument read) {
        return new PolicyDocument(
                read.version(),
                read.texts().stream()
                        .map(text -> new PolicyDocument.Text(fileName(text.name()), text.yaml()))
                        .toList());
    }

    private static String fileName(String path) {
        return String.valueOf(Path.of(path).getFileName());
    }

    /** Checks the policies as {@code headgate serve} does. */
    static Policies policies(PolicyDocument document) {
        try {
            Policies policies = document.policies();
            ProxyRequest.requireNoReservedNames(policies.list());
            return policies;
        } catch (ConfigException | IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    /** Checks that a server with the old policies can apply the new ones. */
    static void requireUpdatable(Policies before, Policies after) {
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create()) {
            new PolicyRegistry(engine, before).replace(after);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput("a server with the old policies rejects the new ones: " + e.getMessage());
        }
    }
}
