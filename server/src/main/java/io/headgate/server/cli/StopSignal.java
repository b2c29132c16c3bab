package io.headgate.server.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the main thread end its work in order when the process is told to stop (SIGTERM, Ctrl-C), and then ends the
 * process with exit code 0.
 *
 * <p>A JVM that is ended by a signal otherwise exits with 128 plus its number, which supervisors take for a failure.
 * Closed when everything has ended: only then does the process go.
 */
public final class StopSignal implements AutoCloseable {

    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stop, "headgate-stop");

    private StopSignal() {}

    /** Begins to listen for signals. */
    public static StopSignal listen() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    private void stop() {
        told.countDown();
        awaitUninterrupted(ended);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Whether the process was told to stop. */
    public boolean isTold() {
        return told.getCount() == 0;
    }

    /** Waits until the process is told to stop. */
    public void await() {
        awaitUninterrupted(told);
    }

    /** Waits until the process is told to stop, or that long; answers whether it was told. */
    public boolean await(Duration atMost) throws InterruptedException {
        return told.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
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
