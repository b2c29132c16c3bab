package io.headgate.server;

import java.time.Duration;

/**
 * One attempt of a test whose steps must be quicker than a timeout of the server. A failed attempt that took longer shows only that the
 * machine was slow, so the test makes another one.
 */
public final class TimedAttempt {

    private static final int MAX_ATTEMPTS = 5;

    private final long limitNanos;
    private long startNanos;
    private long elapsedNanos;
    private State state = State.CREATED;

    private enum State {
        CREATED,
        STARTED,
        STOPPED
    }

    /** The steps of a test. */
    @FunctionalInterface
    public interface Steps {

        void run(TimedAttempt attempt) throws Exception;
    }

    private TimedAttempt(Duration limit) {
        this.limitNanos = limit.toNanos();
    }

    /**
     * Runs the steps until they succeed, at most {@value #MAX_ATTEMPTS} times.
     *
     * @param limit a failure after less than this time, between {@link #start} and {@link #stop}, fails the test
     */
    public static void run(Duration limit, Steps steps) throws Exception {
        for (int i = 1; ; i++) {
            TimedAttempt attempt = new TimedAttempt(limit);
            try {
                steps.run(attempt);
                return;
            } catch (Exception | AssertionError failure) {
                if (i == MAX_ATTEMPTS || !attempt.isTooSlow()) {
                    throw failure;
                }
                System.out.println("repeated, as the attempt was too slow: " + failure);
            }
        }
    }

    /** Starts to measure, before the first step that must be quick. */
    public void start() {
        startNanos = System.nanoTime();
        state = State.STARTED;
    }

    /** Stops, after the last step that must be quick; by default, the time runs until the failure. */
    public void stop() {
        elapsedNanos = System.nanoTime() - startNanos;
        state = State.STOPPED;
    }

    private boolean isTooSlow() {
        if (state == State.STARTED) {
            stop();
        }
        return state == State.STOPPED && elapsedNanos >= limitNanos;
    }
}
