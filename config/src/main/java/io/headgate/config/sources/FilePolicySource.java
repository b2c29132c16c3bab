package io.headgate.config.sources;

import io.headgate.config.internal.files.ConsistentFiles;
import io.headgate.config.internal.files.LocalFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The policies of a file, or of all {@code .yaml} and {@code .yml} files of a directory, and of the files that they include. Its version is
 * a hash of the content; if the files have variables, a plus sign and some digits of a hash of their values follow.
 *
 * <p>Changes are noticed by events of the file system, and by comparing attributes of the files twice a second, for file systems without
 * events. Every five seconds, the files are read in any case. Symbolic links are followed, so that an update of a mounted ConfigMap of
 * Kubernetes is noticed.
 *
 * <p>A read waits until the files have not been modified for 100 ms, and is repeated if they change meanwhile. So half of a file is
 * read only if its writer pauses for longer. To exclude that, write another file, and rename it.
 */
public final class FilePolicySource implements PolicySource {

    /** The maximum number of files, together with those that they include. */
    public static final int MAX_FILES = LocalFiles.MAX_FILES;

    /** The maximum number of characters of all files together. */
    public static final int MAX_CHARACTERS = LocalFiles.MAX_CHARACTERS;

    /** The digits of a version for the values of variables. */
    private static final int DIGITS_OF_VALUES = 6;

    private final Path path;
    private final ConsistentFiles files;
    private final FileWatch watch;

    FilePolicySource(Path path, Map<String, String> environment, Duration pollPeriod, boolean events) {
        this.path = path;
        this.files = new ConsistentFiles(path, environment);
        this.watch = new FileWatch(path, ConsistentFiles::isPolicyFile, files::stamps, pollPeriod, events);
    }

    /**
     * Creates a source.
     *
     * @param path a file, or a directory with up to {@value #MAX_FILES} files directly in it; it may not exist yet. Anything else, such as
     *     a pipe, is read once, and not watched
     */
    public static FilePolicySource of(Path path) {
        return of(path, System.getenv());
    }

    /**
     * Creates a source with other variables than those of the environment.
     *
     * @param path see {@link #of(Path)}
     * @param variables the values of variables by name; they do not change while the source is used
     */
    public static FilePolicySource of(Path path, Map<String, String> variables) {
        return new FilePolicySource(path, variables, FileWatch.POLL_PERIOD, true);
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public PolicyDocument read() {
        LocalFiles.Content content = files.read();
        List<PolicyDocument.Text> texts = content.files().stream()
                .map(file -> new PolicyDocument.Text(file.name(), file.yaml(), file.includedBy()))
                .toList();
        return new PolicyDocument(version(texts, content), Optional.empty(), texts, Optional.of(content.variables()));
    }

    /** The digest of the texts and, if they have variables, after a plus sign, some digits of that of the values. */
    private static String version(List<PolicyDocument.Text> texts, LocalFiles.Content content) {
        String digest = PolicyDocument.digest(texts);
        if (content.names().isEmpty()) {
            return digest;
        }
        List<PolicyDocument.Text> values = content.names().stream()
                .map(name -> new PolicyDocument.Text(
                        name,
                        name
                                + Optional.ofNullable(content.variables().get(name))
                                        .map(value -> "=" + value)
                                        .orElse("")))
                .toList();
        return digest + "+" + PolicyDocument.digest(values).substring(0, DIGITS_OF_VALUES);
    }

    @Override
    public void watch(Runnable changed) {
        watch.start(files.isWatchable() ? changed : () -> {});
    }

    @Override
    public void close() {
        watch.close();
    }
}
