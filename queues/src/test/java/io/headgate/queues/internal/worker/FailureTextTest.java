package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.internal.Utf8;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Tests the text of a failure that is stored with its job. */
class FailureTextTest {

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static IllegalStateException thrownAtDepth(int frames, String message) {
        return frames == 0 ? new IllegalStateException(message) : thrownAtDepth(frames - 1, message);
    }

    @Test
    void the_text_has_class_message_and_top_frames() {
        String text = text(thrownAtDepth(3, "no such address"));
        assertThat(text.lines().toList().get(0)).isEqualTo("java.lang.IllegalStateException: no such address");
        assertThat(text.lines().toList().get(1))
                .matches("\tat .*FailureTextTest\\.thrownAtDepth\\(FailureTextTest.java:\\d+\\)");
        assertThat(text).contains("the_text_has_class_message_and_top_frames");
    }

    @Test
    void the_text_has_the_causes_of_the_failure() {
        Throwable failure = new IllegalStateException("outer", new IllegalArgumentException("inner"));
        assertThat(text(failure))
                .contains("java.lang.IllegalStateException: outer\n\tat ")
                .contains("\nCaused by: java.lang.IllegalArgumentException: inner\n\tat ");
    }

    @Test
    void the_text_is_bounded_for_any_failure() {
        Throwable failure = thrownAtDepth(5000, "\ud83d\ude00".repeat(10_000));
        for (int i = 0; i < 10; i++) {
            failure = new IllegalStateException("ä".repeat(10_000), failure);
        }
        String text = text(failure);
        assertThat(bytes(text)).isBetween(FailureText.MAX_BYTES - 300, FailureText.MAX_BYTES);
        assertThat(text).contains("\n\tat ");
        assertThat(bytes(text(thrownAtDepth(5000, "\ud83d\ude00".repeat(10_000)))))
                .isLessThanOrEqualTo(FailureText.MAX_BYTES);
    }

    @Test
    void a_cycle_of_causes_ends() {
        Exception one = new Exception("one");
        Exception other = new Exception("other", one);
        one.initCause(other);
        assertThat(text(one)).contains("one", "Caused by: java.lang.Exception: other");
    }

    @Test
    void a_failure_whose_methods_throw_is_named_by_its_class() {
        Throwable failure = new IllegalStateException("no") {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("not even that");
            }

            @Override
            public StackTraceElement[] getStackTrace() {
                throw new IllegalStateException("nor that");
            }

            @Override
            public synchronized Throwable getCause() {
                throw new IllegalStateException("nor that");
            }
        };
        assertThat(text(failure)).startsWith(FailureTextTest.class.getName());
    }

    @Test
    void an_unpaired_surrogate_is_replaced() {
        assertThat(text(new Exception("half \ud83d"))).startsWith("java.lang.Exception: half \ufffd\n");
    }

    @Test
    void text_is_cut_between_characters() {
        assertThat(Utf8.fitting("a\ud83d\ude00b", 4)).isEqualTo("a");
        assertThat(Utf8.fitting("a\ud83d\ude00b", 5)).isEqualTo("a\ud83d\ude00");
        assertThat(Utf8.fitting("äö", 3)).isEqualTo("ä");
        assertThat(Utf8.fitting("äö", 4)).isEqualTo("äö");
        assertThat(Utf8.fitting("", 0)).isEmpty();
    }

    private static String text(Throwable failure) {
        return FailureText.of(failure, HandlerRunner.class);
    }
}
