package io.headgate.testkit.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A child process that ends with this JVM, and that may be started again. A shutdown hook kills it, or a {@link Reaper} if this JVM
 * is killed and runs no hooks.
 *
 * <p>The hook is registered before the process starts: otherwise, a JVM that is terminated in between would leave the process
 * running.
 */
public final class ManagedProcess implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable cleanup;
    private final Optional<Path> folder;
    private final Thread hook;
    private Optional<Reaper> reaper = Optional.empty();
    private Optional<Process> process = Optional.empty();
    private boolean ended;

    private ManagedProcess(String name, Optional<Path> folder, Runnable cleanup) {
        this.folder = folder;
        this.cleanup = cleanup;
        this.hook = new Thread(this::end, name);
    }

    /**
     * Registers the shutdown hook.
     *
     * @param folder the folder to delete if this JVM is killed
     * @param name the name of the thread that is the shutdown hook
     * @param cleanup runs after the process is dead, even if none was started
     * @throws IllegalStateException when this JVM is shutting down
     */
    public static ManagedProcess open(String name, Optional<Path> folder, Runnable cleanup) {
        ManagedProcess managed = new ManagedProcess(name, folder, cleanup);
        try {
            Runtime.getRuntime().addShutdownHook(managed.hook);
        } catch (IllegalStateException e) {
            managed.end();
            throw new IllegalStateException("this JVM is shutting down, and starts no process", e);
        }
        return managed;
    }

    /**
     * Starts the process; an earlier one must be dead.
     *
     * @throws IllegalStateException when this JVM is shutting down, or this was closed
     */
    public Process start(ProcessBuilder builder) throws IOException {
        lock.lock();
        try {
            if (ended) {
                throw new IllegalStateException("this JVM is shutting down, or the process was closed");
            }
            if (reaper.isEmpty()) {
                reaper = Optional.of(Reaper.start(folder));
            }
            Process started = builder.start();
            process = Optional.of(started);
            reaper.get().watch(started);
            return started;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // the JVM is shutting down, and the hook runs or has run
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            process.ifPresent(Processes::kill);
            cleanup.run();
            reaper.ifPresent(Reaper::close);
        } finally {
            lock.unlock();
        }
    }
}
