package io.headgate.server.operators;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Small files that are read again when their content changes. All of them are one version: a certificate and its key belong together.
 *
 * <p>The files are compared by content twice a second, so it does not matter how they are replaced: in place, by a rename, or by the link
 * of a mounted Kubernetes Secret. A new content counts once two reads in a row find it, so that half of a file is read only if its writer
 * pauses for longer. A content that is rejected has no effect, and is logged once.
 */
public final class WatchedFiles implements AutoCloseable {

    /** The maximum number of bytes of each file. */
    static final int MAX_BYTES = 1 << 20;

    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final Logger log = LoggerFactory.getLogger(WatchedFiles.class);

    /** Applies the contents of the files, in their order. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Applies a version.
         *
         * @return what it contains, for the log
         * @throws IllegalArgumentException if it is invalid; the message states why
         */
        String apply(List<byte[]> contents);
    }

    private final String what;
    private final List<Path> files;
    private final Reader reader;
    private final ScheduledExecutorService thread;

    /** The last version that was applied or rejected, and the one that the last read has found. Used by the thread only. */
    private List<String> handled;

    private List<String> found;

    private WatchedFiles(String what, List<Path> files, Reader reader, List<String> first) {
        this.what = what;
        this.files = files;
        this.reader = reader;
        this.handled = first;
        this.found = first;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread named = new Thread(task, "headgate-files");
            named.setDaemon(true);
            return named;
        });
    }

    /**
     * Applies the current version, and then each change.
     *
     * @param what names the files in the log, for example {@code operators}
     * @throws IllegalArgumentException if the current version is invalid, or a file cannot be read
     */
    public static WatchedFiles open(String what, List<Path> files, Reader reader) {
        List<byte[]> contents = new ArrayList<>();
        for (Path file : files) {
            try {
                contents.add(read(file));
            } catch (IOException e) {
                throw new IllegalArgumentException(problem(file, e), e);
            }
        }
        reader.apply(contents);
        WatchedFiles watched = new WatchedFiles(what, files, reader, hashes(contents));
        watched.thread.scheduleWithFixedDelay(
                watched::check, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return watched;
    }

    /** Never throws: an exception would end the schedule. */
    @SuppressWarnings("CatchingUnchecked") // also of errors, such as that of a file nested too deeply for the stack
    private void check() {
        try {
            List<byte[]> contents = new ArrayList<>();
            List<String> now;
            String problem = "";
            try {
                for (Path file : files) {
                    try {
                        contents.add(read(file));
                    } catch (IOException e) {
                        problem = problem(file, e);
                        throw e;
                    }
                }
                now = hashes(contents);
            } catch (IOException e) {
                now = List.of(problem);
            }
            boolean settled = now.equals(found);
            found = now;
            if (settled && !now.equals(handled)) {
                handled = now;
                apply(contents, problem);
            }
        } catch (Throwable e) {
            log.error("{}: a new version could not be handled", what, e);
        }
    }

    private void apply(List<byte[]> contents, String problem) {
        String names = files.stream().map(Path::toString).collect(Collectors.joining(", "));
        String rejected = problem;
        if (rejected.isEmpty()) {
            try {
                log.info("{}: applied a new version of {}: {}", what, names, reader.apply(contents));
                return;
            } catch (IllegalArgumentException e) {
                rejected = String.valueOf(e.getMessage());
            }
        }
        log.warn("{}: rejected a new version of {}; the last valid one stays in force: {}", what, names, rejected);
    }

    private static byte[] read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(MAX_BYTES + 1);
            if (content.length > MAX_BYTES) {
                throw new IOException("it is larger than " + MAX_BYTES + " bytes");
            }
            return content;
        }
    }

    private static String problem(Path file, IOException e) {
        return e instanceof NoSuchFileException
                ? "there is no file " + file
                : file + " can't be read: " + e.getMessage();
    }

    private static List<String> hashes(List<byte[]> contents) {
        return contents.stream()
                .map(content -> HexFormat.of().formatHex(TokenHash.sha256(content)))
                .toList();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
