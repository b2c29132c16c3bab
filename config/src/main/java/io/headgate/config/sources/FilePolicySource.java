package io.headgate.config.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The policies of a file, or of all {@code .yaml} and {@code .yml} files of a directory. Its version is a hash of the content.
 *
 * <p>Changes are noticed by events of the file system, and by comparing attributes of the files twice a second, for file systems without
 * events. Every five seconds, the files are read in any case. Symbolic links are followed, so that an update of a mounted ConfigMap of
 * Kubernetes is noticed.
 *
 * <p>A read waits until the files have not been modified for 100 ms, and is repeated if they change meanwhile. So half of a file is
 * read only if its writer pauses for longer. To exclude that, write another file, and rename it.
 */
public final class FilePolicySource implements PolicySource {

    /** The maximum number of files in a directory. */
    public static final int MAX_FILES = 1000;

    /** The maximum number of characters of all files together. */
    public static final int MAX_CHARACTERS = 16 << 20;

    private static final int VERSION_DIGITS = 12;

    /** Files that were modified more recently may still be written. */
    private static final Duration QUIET = Duration.ofMillis(100);

    /** How long a read waits for quiet files. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Path path;
    private final FileWatch watch;

    FilePolicySource(Path path, Duration pollPeriod, boolean events) {
        this.path = path;
        this.watch = new FileWatch(
                path, FilePolicySource::isPolicyFile, () -> FileStamps.of(files(path)), pollPeriod, events);
    }

    /**
     * Creates a source.
     *
     * @param path a file, or a directory with up to {@value #MAX_FILES} files directly in it; it may not exist yet. Anything else, such as
     *     a pipe, is read once, and not watched
     */
    public static FilePolicySource of(Path path) {
        return new FilePolicySource(path, FileWatch.POLL_PERIOD, true);
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public PolicyDocument read() {
        if (!isWatchable()) {
            return document(path, List.of(path));
        }
        long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
        Path root = root();
        List<Path> files = files(root);
        FileStamps before = FileStamps.of(files);
        boolean quiet = before.isOlderThan(QUIET, Instant.now());
        while (true) {
            if (quiet) {
                Optional<PolicyDocument> document = documentOf(root, files, before);
                if (document.isPresent()) {
                    return document.get();
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw failure("is modified all the time; write another file, and rename it");
            }
            pause();
            root = root();
            files = files(root);
            FileStamps now = FileStamps.of(files);
            quiet = now.equals(before);
            before = now;
        }
    }

    /** The path, or the directory to which it leads, so that all files of a read are of one directory even if the link is replaced. */
    private Path root() {
        try {
            return Files.isDirectory(path) ? path.toRealPath() : path;
        } catch (IOException e) {
            throw failure("cannot be read: " + e.getMessage());
        }
    }

    /** Reads the files; empty if they changed meanwhile. */
    private Optional<PolicyDocument> documentOf(Path root, List<Path> files, FileStamps before) {
        try {
            PolicyDocument document = document(root, files);
            return isUnchanged(root, before) ? Optional.of(document) : Optional.empty();
        } catch (ConfigException e) {
            if (isUnchanged(root, before)) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private boolean isUnchanged(Path root, FileStamps before) {
        return root().equals(root) && FileStamps.of(files(root)).equals(before);
    }

    private void pause() {
        try {
            Thread.sleep(QUIET.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was not read: the thread was interrupted");
        }
    }

    /** Whether this is a file or a directory, or may become one. */
    private boolean isWatchable() {
        return Files.isRegularFile(path) || Files.isDirectory(path) || !Files.exists(path);
    }

    private PolicyDocument document(Path root, List<Path> files) {
        List<PolicyDocument.Text> texts = new ArrayList<>();
        long characters = 0;
        for (Path file : files) {
            String name = (file.equals(root) ? path : path.resolve(root.relativize(file))).toString();
            String text = SourceText.read(file, new Problems(name));
            characters += text.length();
            if (characters > MAX_CHARACTERS) {
                throw failure("has more than " + MAX_CHARACTERS + " characters in all files together");
            }
            texts.add(new PolicyDocument.Text(name, text));
        }
        return new PolicyDocument(version(texts), texts);
    }

    private List<Path> files(Path root) {
        if (!Files.isDirectory(root)) {
            return List.of(root);
        }
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(root, file -> isPolicyFile(file.getFileName()))) {
            for (Path file : all) {
                if (files.size() == MAX_FILES) {
                    throw failure("has more than " + MAX_FILES + " .yaml and .yml files");
                }
                files.add(file);
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw failure("cannot be read: " + e.getMessage());
        }
        if (files.isEmpty()) {
            throw failure("has no .yaml or .yml file");
        }
        files.sort(null);
        return files;
    }

    /** Hidden files, which editors leave, do not count. */
    private static boolean isPolicyFile(Path name) {
        String text = name.toString();
        return !text.startsWith(".") && (text.endsWith(".yaml") || text.endsWith(".yml"));
    }

    private ConfigException failure(String problem) {
        return new ConfigException(List.of(path + ": " + problem));
    }

    private static String version(List<PolicyDocument.Text> texts) {
        MessageDigest hash;
        try {
            hash = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
        for (PolicyDocument.Text text : texts) {
            hash.update(text.yaml().getBytes(UTF_8));
            hash.update((byte) 0);
        }
        return HexFormat.of().formatHex(hash.digest()).substring(0, VERSION_DIGITS);
    }

    @Override
    public void watch(Runnable changed) {
        watch.start(isWatchable() ? changed : () -> {});
    }

    @Override
    public void close() {
        watch.close();
    }
}
