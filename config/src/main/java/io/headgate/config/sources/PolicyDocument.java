package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.config.internal.files.LocalFile;
import io.headgate.config.internal.files.MergedPolicies;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One version of the policies of a source, as it was written. It may contain errors.
 *
 * @param version identifies the content: documents of a source with the same version have the same policies
 * @param writtenAt when it was written, by the clock of a source that orders its versions by it, such as Redis; else empty
 * @param texts at least one text in YAML, each with its own policies
 * @param variables the values of variables in local files; empty for a remote document, in which variables and includes are errors, as they
 *     would read the secrets of each process
 */
public record PolicyDocument(
        String version, Optional<Instant> writtenAt, List<Text> texts, Optional<Map<String, String>> variables) {

    private static final int DIGEST_DIGITS = 12;

    /**
     * A text with policies.
     *
     * @param name the name with which problems begin, for example the path of a file
     * @param yaml a document as {@link PolicyFile} reads it, before variables are replaced
     * @param includedBy the name of the local file that includes this one; empty if none does
     */
    public record Text(String name, String yaml, Optional<String> includedBy) {

        /** Creates a text that no other one includes. */
        public Text(String name, String yaml) {
            this(name, yaml, Optional.empty());
        }
    }

    /** Checks that there is a text. */
    public PolicyDocument {
        texts = List.copyOf(texts);
        variables = variables.map(Map::copyOf);
        if (texts.isEmpty()) {
            throw new IllegalArgumentException("texts must have at least one element, but has none");
        }
    }

    /** Creates a remote document, without variables. */
    public PolicyDocument(String version, Optional<Instant> writtenAt, List<Text> texts) {
        this(version, writtenAt, texts, Optional.empty());
    }

    /** Creates a remote document of a source whose versions have no order. */
    public PolicyDocument(String version, List<Text> texts) {
        this(version, Optional.empty(), texts);
    }

    /**
     * Returns the first 12 hexadecimal digits of the SHA-256 of texts, without their names. It is the version of a file, and ends a version
     * of a {@link PolicyStore}.
     */
    public static String digest(List<Text> texts) {
        MessageDigest hash;
        try {
            hash = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
        for (Text text : texts) {
            hash.update(text.yaml().getBytes(StandardCharsets.UTF_8));
            hash.update((byte) 0);
        }
        return HexFormat.of().formatHex(hash.digest()).substring(0, DIGEST_DIGITS);
    }

    /**
     * Reads the policies of all texts.
     *
     * @throws ConfigException if a text has errors, or two texts have a policy with the same name; it shows variables, not their values
     */
    public Policies policies() {
        List<LocalFile> files = texts.stream()
                .map(text -> new LocalFile(text.name(), text.yaml(), text.includedBy()))
                .toList();
        return MergedPolicies.of(files, file -> variables
                .map(values -> PolicyFile.parseWithIncludes(file.yaml(), file.name(), values))
                .orElseGet(() -> PolicyFile.parse(file.yaml(), file.name())));
    }

    /** Returns the version and the texts without the values of variables, which may be secret. */
    @Override
    public String toString() {
        return "PolicyDocument[version=" + version + ", writtenAt=" + writtenAt + ", texts=" + texts + "]";
    }
}
