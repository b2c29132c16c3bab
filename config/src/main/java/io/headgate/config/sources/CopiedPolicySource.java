package io.headgate.config.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.files.RemoteText;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A source with a local copy of the version in force, so that a process starts while its source cannot be reached. The copy is read only at
 * the start, and only if the source fails; from then on, the source counts. Versions that are rejected are never copied.
 */
public final class CopiedPolicySource implements PolicySource {

    private static final System.Logger LOG = System.getLogger(CopiedPolicySource.class.getName());

    private static final String VERSION = "version";
    private static final String WRITTEN_AT = "written-at";
    private static final String TEXTS = "texts";

    private final PolicySource source;
    private final Path copy;

    // Read and written by the reloader, one call at a time.
    private volatile @Nullable PolicyDocument last;
    private volatile String copied = "";

    private CopiedPolicySource(PolicySource source, Path copy) {
        this.source = source;
        this.copy = copy;
    }

    /**
     * Adds a copy to a source.
     *
     * @param source the source, which this one closes; its policies have no variables and no includes
     * @param copy the file of the copy, in a directory that exists; it is replaced when another version is in force
     */
    public static CopiedPolicySource of(PolicySource source, Path copy) {
        return new CopiedPolicySource(source, copy);
    }

    @Override
    public String name() {
        return source.name();
    }

    /** Returns the source without the copy. */
    PolicySource source() {
        return source;
    }

    @Override
    public PolicyDocument read() {
        boolean first = last == null;
        PolicyDocument document;
        try {
            document = source.read();
        } catch (ConfigException e) {
            if (!first || !Files.exists(copy)) {
                throw e;
            }
            document = readCopy();
            copied = document.version();
            LOG.log(Level.WARNING, "Policies: {0}; starting with the copy in {1}", e.getMessage(), copy);
        }
        requireNoReferences(document);
        last = document;
        return document;
    }

    /** The copy would have the text of variables and includes only, with which no process can start. */
    private void requireNoReferences(PolicyDocument document) {
        if (document.variables().isEmpty()) {
            return; // a remote document, in which they are errors anyway
        }
        for (PolicyDocument.Text text : document.texts()) {
            try {
                RemoteText.requireNoReferences(text.yaml(), text.name());
            } catch (ConfigException e) {
                throw new ConfigException(List.of(text.name()
                        + ": has variables or includes, which the copy " + copy
                        + " cannot have; use the file without a copy"));
            }
        }
    }

    /** Not copied, since a process without its source has no place to report to. */
    @Override
    public Optional<PolicyDocument> shadow() {
        return source.shadow();
    }

    private PolicyDocument readCopy() {
        try {
            Object read = new Load(LoadSettings.builder()
                            .setLabel(copy.toString())
                            .setCodePointLimit(Integer.MAX_VALUE)
                            .build())
                    .loadFromString(Files.readString(copy));
            if (read instanceof Map<?, ?> members && members.get(TEXTS) instanceof Map<?, ?> named) {
                List<PolicyDocument.Text> texts = new ArrayList<>();
                named.forEach((name, yaml) -> texts.add(new PolicyDocument.Text(text(name), text(yaml))));
                Optional<Instant> writtenAt =
                        Optional.ofNullable(members.get(WRITTEN_AT)).map(at -> Instant.parse(text(at)));
                return new PolicyDocument(text(members.get(VERSION)), writtenAt, texts);
            }
            throw damaged("it is no copy of policies");
        } catch (IOException | YamlEngineException | DateTimeException | IllegalArgumentException e) {
            throw damaged(String.valueOf(e.getMessage()));
        }
    }

    private static String text(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("a text is missing");
    }

    private ConfigException damaged(String problem) {
        return new ConfigException(
                List.of(copy + ": cannot be read: " + problem + "; delete it, and start with the source"));
    }

    /** Copies the version in force, if it is another one than that of the copy. */
    @Override
    public void report(PolicyStatus status) {
        source.report(status);
        PolicyDocument read = last;
        if (read == null
                || !read.version().equals(status.version())
                || read.version().equals(copied)) {
            return;
        }
        try {
            write(read);
            copied = read.version();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Policies: cannot write the copy " + copy + "; the next version tries again", e);
        }
    }

    /** Writes another file, and renames it, so that a kill leaves the previous copy. */
    private void write(PolicyDocument document) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(VERSION, document.version());
        document.writtenAt().ifPresent(at -> members.put(WRITTEN_AT, at.toString()));
        Map<String, String> texts = new LinkedHashMap<>();
        document.texts().forEach(text -> texts.put(text.name(), text.yaml()));
        members.put(TEXTS, texts);
        String yaml = new Dump(DumpSettings.builder().build()).dumpToString(members);
        Path next = copy.resolveSibling(copy.getFileName() + ".next");
        Files.writeString(next, yaml, UTF_8);
        Files.move(next, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void watch(Runnable changed) {
        source.watch(changed);
    }

    @Override
    public void close() {
        source.close();
    }
}
