package io.headgate.queues.internal.worker;

import io.headgate.queues.internal.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * The text of a failure that is stored with its job: class, message and top stack frames of the failure and of its causes, in the
 * format of the JVM, and bounded in bytes.
 */
final class FailureText {

    /** The most bytes of a text. Three such texts fit into the stored causes of a job. */
    static final int MAX_BYTES = 1300;

    private static final int MAX_THROWABLES = 3;
    private static final int MAX_MESSAGE_BYTES = 500;
    private static final int MAX_MESSAGE_BYTES_OF_CAUSE = 200;
    private static final int MAX_FRAMES = 8;
    private static final int MAX_FRAMES_OF_CAUSE = 4;

    private FailureText() {}

    /**
     * Returns the text of a failure, even if methods of the failure throw.
     *
     * @param caller the class that called the handler: its frame and those below it are omitted, since they are always the same
     */
    static String of(Throwable failure, Class<?> caller) {
        StringBuilder text = new StringBuilder();
        Throwable next = failure;
        for (int i = 0; next != null && i < MAX_THROWABLES; i++) {
            text.append(i == 0 ? "" : "\nCaused by: ");
            text.append(Utf8.fitting(headline(next), i == 0 ? MAX_MESSAGE_BYTES : MAX_MESSAGE_BYTES_OF_CAUSE));
            appendFrames(text, next, i == 0 ? MAX_FRAMES : MAX_FRAMES_OF_CAUSE, caller);
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

    private static void appendFrames(StringBuilder text, Throwable failure, int max, Class<?> caller) {
        try {
            int left = max;
            for (StackTraceElement frame : failure.getStackTrace()) {
                if (left-- == 0 || frame.getClassName().startsWith(caller.getName())) {
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
