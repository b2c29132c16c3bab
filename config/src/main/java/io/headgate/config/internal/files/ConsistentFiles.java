package io.headgate.config.internal.files;

import io.headgate.config.ConfigException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A file of policies, or all of a directory, with the files that they include. A read returns the files of one moment: it compares their
 * attributes before and after, and is repeated if they differ. Safe for use by any number of threads.
 */
public final class ConsistentFiles {

    /** Files that were modified more recently may still be written. */
    private static final Duration QUIET = Duration.ofMillis(100);

    /** How long a read waits for quiet files. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Path path;
    private final Map<String, String> environment;
    private final Duration longestWait;

    /** The files that were included in the last read, also those that could not be read. */
    private volatile List<Path> included = List.of();

    private volatile Map<String, LocalFiles.References> references = Map.of();

    /** Creates a reader with the variables of the environment. */
    public ConsistentFiles(Path path, Map<String, String> environment) {
        this(path, environment, LONGEST_WAIT);
    }

    ConsistentFiles(Path path, Map<String, String> environment, Duration longestWait) {
        this.path = path;
        this.environment = Map.copyOf(environment);
        this.longestWait = longestWait;
    }

    /** The files of one read, or why it failed. */
    private record Reading(
            Optional<LocalFiles.Content> content, Optional<ConfigException> failure, List<Path> included) {

        LocalFiles.Content contentOrThrow() {
            return content.orElseThrow(failure::orElseThrow);
        }
    }

    /** The files to read, and their attributes before. */
    private record Moment(Path root, List<Path> files, List<Path> included, FileStamps stamps) {

        boolean isQuiet() {
            return stamps.isOlderThan(QUIET, Instant.now());
        }
    }

    /**
     * Reads the files.
     *
     * @throws ConfigException if a file cannot be read, an include is wrong, or the files change all the time
     */
    public LocalFiles.Content read() {
        if (!isWatchable()) {
            return read(path, List.of(path)).contentOrThrow();
        }
        long deadline = System.nanoTime() + longestWait.toNanos();
        List<Path> includes = included;
        int found = 0;
        Moment before = moment(includes);
        boolean quiet = before.isQuiet();
        while (true) {
            if (quiet) {
                Reading reading = read(before.root, before.files);
                boolean unchanged = isUnchanged(before);
                if (unchanged && before.included.containsAll(reading.included)) {
                    included = reading.included;
                    return reading.contentOrThrow();
                }
                includes = reading.included;
                if (unchanged && ++found <= LocalFiles.MAX_DEPTH) {
                    // No file has changed, but the included ones must be compared, too. That is no time of waiting.
                    deadline = System.nanoTime() + longestWait.toNanos();
                    before = moment(includes);
                    quiet = before.isQuiet();
                    continue;
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw failure("is modified all the time; write another file, and rename it");
            }
            pause();
            Moment now = moment(includes);
            quiet = now.equals(before);
            before = now;
        }
    }

    private Moment moment(List<Path> included) {
        Path root = root();
        List<Path> files = files(root);
        return new Moment(root, files, included, stamps(files, included));
    }

    private boolean isUnchanged(Moment before) {
        return root().equals(before.root)
                && stamps(files(before.root), before.included).equals(before.stamps);
    }

    private Reading read(Path root, List<Path> files) {
        Map<Path, String> named = new LinkedHashMap<>();
        files.forEach(
                file -> named.put(file, (file.equals(root) ? path : path.resolve(root.relativize(file))).toString()));
        LocalFiles reading = new LocalFiles(environment, references);
        try {
            LocalFiles.Content content = reading.read(named);
            references = reading.references();
            return new Reading(Optional.of(content), Optional.empty(), reading.included());
        } catch (ConfigException e) {
            return new Reading(Optional.empty(), Optional.of(e), reading.included());
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

    private void pause() {
        try {
            Thread.sleep(QUIET.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("was not read: the thread was interrupted");
        }
    }

    /** Whether this is a file or a directory, or may become one. */
    public boolean isWatchable() {
        return Files.isRegularFile(path) || Files.isDirectory(path) || !Files.exists(path);
    }

    /**
     * Returns the attributes of the files, and of those that they included in the last read.
     *
     * @throws ConfigException if the directory cannot be read
     */
    public FileStamps stamps() {
        return stamps(files(path), included);
    }

    private static FileStamps stamps(List<Path> files, List<Path> included) {
        return FileStamps.of(
                Stream.concat(files.stream(), included.stream()).distinct().toList());
    }

    private List<Path> files(Path root) {
        if (!Files.isDirectory(root)) {
            return List.of(root);
        }
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(root, file -> isPolicyFile(file.getFileName()))) {
            for (Path file : all) {
                if (files.size() == LocalFiles.MAX_FILES) {
                    throw failure("has more than " + LocalFiles.MAX_FILES + " .yaml and .yml files");
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
    public static boolean isPolicyFile(Path name) {
        String text = name.toString();
        return !text.startsWith(".") && (text.endsWith(".yaml") || text.endsWith(".yml"));
    }

    private ConfigException failure(String problem) {
        return new ConfigException(List.of(path + ": " + problem));
    }
}
