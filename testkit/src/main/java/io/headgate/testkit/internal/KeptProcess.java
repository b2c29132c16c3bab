package io.headgate.testkit.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Starts a process, and later another in its place. None outlives this JVM: a shutdown hook ends the last one, and a
 * {@link Reaper} does so when this JVM is killed and runs no hooks.
 *
 * <p>The end of the JVM is heard of before anything is started: a process that began first would be left behind by a
 * JVM that is told to end at that moment.
 */
public final class KeptProcess implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable afterwards;
    private final Optional<Path> folder;
    private final Thread hook;
    private Optional<Reaper> reaper = Optional.empty();
    private Optional<Process> process = Optional.empty();
    private boolean ended;

    private KeptProcess(String name, Optional<Path> folder, Runnable afterwards) {
        this.folder = folder;
        this.afterwards = afterwards;
        this.hook = new Thread(this::end, name);
    }

    /**
     * Keeps processes, from now on.
     *
     * @param folder what is deleted when this JVM is killed, if anything
     * @param afterwards what is to be done when the last of them is dead, be it that none was started
     * @throws IllegalStateException when this JVM is ending already
     */
    public static KeptProcess open(String name, Optional<Path> folder, Runnable afterwards) {
        KeptProcess kept = new KeptProcess(name, folder, afterwards);
        try {
            Runtime.getRuntime().addShutdownHook(kept.hook);
        } catch (IllegalStateException e) {
            kept.end();
            throw new IllegalStateException("this JVM is ending, and starts nothing any more", e);
        }
        return kept;
    }

    /**
     * Starts a process; the one before must be dead.
     *
     * @throws IllegalStateException when this JVM is ending, or this was closed
     */
    public Process start(ProcessBuilder builder) throws IOException {
        lock.lock();
        try {
            if (ended) {
                throw new IllegalStateException("this JVM is ending, or what it started was closed");
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
            return; // the JVM is ending, and the hook runs or has run
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            process.ifPresent(Processes::kill);
            afterwards.run();
            reaper.ifPresent(Reaper::close);
        } finally {
            lock.unlock();
        }
    }
}
