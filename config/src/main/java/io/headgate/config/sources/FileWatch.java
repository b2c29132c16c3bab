package io.headgate.config.sources;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of a file, or of the files in a directory: by events of the file system, and by comparing their attributes twice a
 * second, since events may be lost, and some file systems have none. Used by one thread, except {@link #close}.
 */
final class FileWatch implements AutoCloseable {

    private static final long POLL_MILLIS = 500;

    /** A file is read when it has not changed for this time. */
    private static final long QUIET_MILLIS = 100;

    /** A file that never stops changing is read nevertheless. */
    private static final int MAX_QUIET_CHECKS = 5;

    /** The link that Kubernetes replaces when it changes a mounted ConfigMap. */
    private static final String LINK_OF_CONFIG_MAP = "..data";

    private final Path path;
    private final Predicate<Path> included;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean closed;

    /**
     * Creates a watch, which does not start yet.
     *
     * @param included which files of a directory count, by their names
     */
    FileWatch(Path path, Predicate<Path> included) {
        this.path = path;
        this.included = included;
    }

    void start(Runnable changed) {
        Thread next = new Thread(() -> run(changed), "headgate-policies");
        next.setDaemon(true);
        if (closed || !thread.compareAndSet(null, next)) {
            throw new IllegalStateException(closed ? "the source is closed" : "the source is watched already");
        }
        next.start();
    }

    @Override
    public void close() {
        closed = true;
        Thread running = thread.get();
        if (running != null) {
            running.interrupt();
        }
    }

    private void run(Runnable changed) {
        try (Events events = new Events()) {
            String seen = attributes();
            // What happened before the events began is not missed.
            changed.run();
            while (!closed) {
                boolean event = events.await(POLL_MILLIS);
                if (event || !attributes().equals(seen)) {
                    seen = settled(events);
                    changed.run();
                }
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            // The source is closed.
        }
    }

    /** Waits until the files have not changed for a moment, and returns their attributes. */
    private String settled(Events events) throws InterruptedException {
        String before = attributes();
        for (int i = 0; i < MAX_QUIET_CHECKS; i++) {
            boolean event = events.await(QUIET_MILLIS);
            String now = attributes();
            if (!event && now.equals(before)) {
                break;
            }
            before = now;
        }
        return before;
    }

    /** The names and attributes of the files, by which a change is noticed without reading them. Links are followed. */
    private String attributes() {
        List<String> attributes = new ArrayList<>();
        if (Files.isDirectory(path)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
                for (Path file : files) {
                    if (included.test(file.getFileName())) {
                        attributes.add(file.getFileName() + " " + attributes(file));
                    }
                }
            } catch (IOException | DirectoryIteratorException e) {
                return "unreadable";
            }
            attributes.sort(null);
        } else {
            attributes.add(attributes(path));
        }
        return String.join("\n", attributes);
    }

    private static String attributes(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return found.fileKey() + " " + found.size() + " " + found.lastModifiedTime();
        } catch (IOException e) {
            return "missing";
        }
    }

    /** The events of the directory that contains the file, or of the watched directory itself. */
    private final class Events implements AutoCloseable {

        private final @Nullable WatchService service;
        private @Nullable WatchKey key;

        Events() {
            this.service = service();
            register();
        }

        private @Nullable WatchService service() {
            try {
                return path.getFileSystem().newWatchService();
            } catch (IOException | UnsupportedOperationException e) {
                // For example, no more inotify instances.
                return null;
            }
        }

        /** The directory may not exist yet, or be another one than before. */
        private void register() {
            Path parent = path.toAbsolutePath().getParent();
            Path directory = Files.isDirectory(path) || parent == null ? path : parent;
            try {
                key = service == null
                        ? null
                        : directory.register(
                                service,
                                StandardWatchEventKinds.ENTRY_CREATE,
                                StandardWatchEventKinds.ENTRY_MODIFY,
                                StandardWatchEventKinds.ENTRY_DELETE);
            } catch (IOException e) {
                key = null;
            }
        }

        /** Waits for an event, at most this time. Returns whether there was one. */
        boolean await(long millis) throws InterruptedException {
            if (service == null) {
                TimeUnit.MILLISECONDS.sleep(millis);
                return false;
            }
            WatchKey ready = service.poll(millis, TimeUnit.MILLISECONDS);
            boolean concerned = false;
            if (ready != null) {
                for (WatchEvent<?> event : ready.pollEvents()) {
                    concerned |= concerns(event);
                }
                if (!ready.reset()) {
                    key = null;
                }
            }
            if (key == null) {
                register();
            }
            return concerned;
        }

        /** Other files of the directory may change all the time. An event without a file says that others were lost. */
        private boolean concerns(WatchEvent<?> event) {
            return !(event.context() instanceof Path file)
                    || file.equals(path.getFileName())
                    || file.toString().equals(LINK_OF_CONFIG_MAP)
                    || (Files.isDirectory(path) && included.test(file));
        }

        @Override
        public void close() {
            if (service != null) {
                try {
                    service.close();
                } catch (IOException e) {
                    // Nothing is watched any more.
                }
            }
        }
    }
}
