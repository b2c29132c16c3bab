package io.headgate.server.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the main thread finish its work after a signal (SIGTERM, Ctrl-C), and then ends the process with exit code 0.
 *
 * <p>Without this class, a JVM that a signal ends exits with 128 plus the number of the signal, which supervisors treat as a failure.
 * Close it when all work has ended. If a signal has arrived, this ends the process; otherwise signals have their usual effect again.
 */
public final class StopSignal implements AutoCloseable {

    private final CountDownLatch signalled = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stop, "headgate-stop");

    private StopSignal() {}

    /** Starts to listen for signals. */
    public static StopSignal listen() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    private void stop() {
        signalled.countDown();
        awaitUninterrupted(ended);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Returns whether a signal has arrived. */
    public boolean isSignalled() {
        return signalled.getCount() == 0;
    }

    /** Waits for a signal. */
    public void await() {
        awaitUninterrupted(signalled);
    }

    /** Waits for a signal, at most for the given time; returns whether one has arrived. */
    public boolean await(Duration atMost) throws InterruptedException {
        return signalled.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is stopping, and the hook ends it.
        }
    }
}
