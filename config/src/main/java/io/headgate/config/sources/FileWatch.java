package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.files.FileStamps;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of a file, or of the files in a directory: by events of the file system, and by comparing their attributes in each
 * period, since events may be lost, and some file systems have none. Attributes may be inexact, and a read may fail for another reason than
 * its file, so that each tenth period notifies in any case.
 */
final class FileWatch implements AutoCloseable {

    static final Duration POLL_PERIOD = Duration.ofMillis(500);

    /** The periods after which a notification is sent without a change. */
    private static final int PERIODS = 10;

    /** The link that Kubernetes replaces when it changes a mounted ConfigMap. */
    private static final String LINK_OF_CONFIG_MAP = "..data";

    private final Path path;
    private final Predicate<Path> included;
    private final Supplier<FileStamps> stamps;
    private final Duration period;
    private final boolean withEvents;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean closed;

    /**
     * Creates a watch, which does not start yet.
     *
     * @param included which files of a directory count, by their names
     * @param stamps reads the attributes of the files; fails with a {@link ConfigException} if it cannot
     * @param withEvents whether to use events, if the file system has any
     */
    FileWatch(Path path, Predicate<Path> included, Supplier<FileStamps> stamps, Duration period, boolean withEvents) {
        this.path = path;
        this.included = included;
        this.stamps = stamps;
        this.period = period;
        this.withEvents = withEvents;
    }

    /** Calls {@code changed} at the start and after each change. A failure of it is reported to the handler of uncaught exceptions. */
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
            // After the registration, so that no change is missed.
            Optional<FileStamps> seen = stamps();
            notify(changed);
            int periods = 0;
            while (!closed) {
                boolean event = events.await();
                Optional<FileStamps> now = stamps();
                if (event || !now.equals(seen) || ++periods == PERIODS) {
                    seen = now;
                    periods = 0;
                    notify(changed);
                }
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            // The source is closed.
        }
    }

    /** The watch continues after any failure, since nothing else would ever apply a later version. */
    @SuppressWarnings("CatchingUnchecked")
    private void notify(Runnable changed) {
        try {
            changed.run();
        } catch (Throwable e) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, e);
        }
    }

    private Optional<FileStamps> stamps() {
        try {
            return Optional.of(stamps.get());
        } catch (ConfigException e) {
            return Optional.empty();
        }
    }

    /** The events of the directory that contains the file, or of the watched directory itself. */
    private final class Events implements AutoCloseable {

        private final @Nullable WatchService service;
        private @Nullable WatchKey key;

        Events() {
            this.service = withEvents ? service() : null;
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

        /** Registers the directory, unless it is registered already. It may not exist yet, or be another one than before. */
        private void register() {
            if (service == null) {
                return;
            }
            Path parent = path.toAbsolutePath().getParent();
            Path directory = Files.isDirectory(path) || parent == null ? path : parent;
            WatchKey before = key;
            try {
                key = directory.register(
                        service,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_MODIFY,
                        StandardWatchEventKinds.ENTRY_DELETE);
            } catch (IOException e) {
                key = null;
            }
            if (before != null && !before.equals(key)) {
                before.cancel();
            }
        }

        /** Waits for an event of the files, at most a period. Returns whether there was one. */
        boolean await() throws InterruptedException {
            if (service == null) {
                TimeUnit.NANOSECONDS.sleep(period.toNanos());
                return false;
            }
            long deadline = System.nanoTime() + period.toNanos();
            while (true) {
                WatchKey ready = service.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (ready == null || isRelevant(ready)) {
                    register();
                    return ready != null;
                }
            }
        }

        /** Other files of the directory may change all the time. An event without a file says that others were lost. */
        private boolean isRelevant(WatchKey ready) {
            boolean relevant = false;
            for (WatchEvent<?> event : ready.pollEvents()) {
                relevant |= !(event.context() instanceof Path file) || isRelevant(file);
            }
            return !ready.reset() || relevant;
        }

        private boolean isRelevant(Path file) {
            return file.equals(path.getFileName())
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
