package io.headgate.queues.internal;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a failure with its job: class and message, then the top frames of its stack trace, and the same of what
 * caused it; in the form in which the JVM prints them, and bounded in bytes.
 */
final class FailureText {

    /** Three such texts fit into what is kept of a job's causes. */
    static final int MAX_BYTES = 1300;

    private static final int MAX_THROWABLES = 3;
    private static final int MAX_MESSAGE_BYTES = 500;
    private static final int MAX_MESSAGE_BYTES_OF_CAUSE = 200;
    private static final int MAX_FRAMES = 8;
    private static final int MAX_FRAMES_OF_CAUSE = 4;

    private FailureText() {}

    /** The text, whatever the failure's own methods throw. */
    static String of(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable next = failure;
        for (int i = 0; next != null && i < MAX_THROWABLES; i++) {
            text.append(i == 0 ? "" : "\nCaused by: ");
            text.append(Utf8.fitting(headline(next), i == 0 ? MAX_MESSAGE_BYTES : MAX_MESSAGE_BYTES_OF_CAUSE));
            appendFrames(text, next, i == 0 ? MAX_FRAMES : MAX_FRAMES_OF_CAUSE);
            next = causeOf(next);
        }
        return Utf8.fitting(text.toString(), MAX_BYTES);
    }

    private static String headline(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (Throwable e) {
            return failure.getClass().getName();
        }
    }

    private static void appendFrames(StringBuilder text, Throwable failure, int most) {
        try {
            int left = most;
            for (StackTraceElement frame : failure.getStackTrace()) {
                // What is below the handler is the worker, and always the same.
                if (left-- == 0 || frame.getClassName().startsWith(Handling.class.getName())) {
                    return;
                }
                text.append("\n\tat ").append(frame);
            }
        } catch (Throwable e) {
            text.append("\n\tat ?");
        }
    }

    private static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (Throwable e) {
            return null;
        }
    }
}
