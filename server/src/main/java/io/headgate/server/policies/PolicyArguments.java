package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.server.cli.StartException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

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

    /**
     * Returns the policies of a file as a document for a store. It has no variables and includes, which would mean something else on each machine.
     */
    static PolicyDocument documentToStore(Path file) {
        PolicyDocument read = document(file);
        return new PolicyDocument(read.version(), read.texts());
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
        return checked(() -> PolicyEdit.valid(document));
    }

    /** Returns what new policies change, if a server with the old ones can apply them. */
    static List<PolicyChange> changes(Policies before, Policies after) {
        return checked(() -> PolicyEdit.changes(before, after));
    }

    private static <T> T checked(Supplier<T> check) {
        try {
            return check.get();
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }
}
