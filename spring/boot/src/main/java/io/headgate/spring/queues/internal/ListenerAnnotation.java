package io.headgate.spring.queues.internal;

import io.headgate.spring.queues.DeadLetterListener;
import io.headgate.spring.queues.QueueListener;
import io.headgate.spring.queues.StreamListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * The annotation of a listener, with placeholders that are not replaced yet.
 *
 * @param name the name for messages, such as {@code @QueueListener}
 * @param deadLetters whether the listener receives the dead letters of the source
 * @param stream whether the source is a stream
 * @param source the queue or stream
 * @param group the group; empty for a queue
 * @param ambiguous whether it names neither a queue nor a group, or both
 */
record ListenerAnnotation(
        String name,
        boolean deadLetters,
        boolean stream,
        String source,
        String group,
        String id,
        String concurrency,
        String lease,
        String attempts,
        String backoff,
        String longestBackoff,
        String autoStartup,
        List<Class<? extends Throwable>> deadLetterOn,
        List<Class<? extends Throwable>> parkOn,
        boolean ambiguous,
        String batch,
        String batchWait) {

    /** Returns the annotations of a method. */
    static List<ListenerAnnotation> of(Method method) {
        List<ListenerAnnotation> all = new ArrayList<>();
        QueueListener queue = AnnotatedElementUtils.findMergedAnnotation(method, QueueListener.class);
        if (queue != null) {
            all.add(new ListenerAnnotation(
                    "@QueueListener",
                    false,
                    false,
                    queue.queue(),
                    "",
                    queue.id(),
                    queue.concurrency(),
                    queue.lease(),
                    queue.attempts(),
                    queue.backoff(),
                    queue.longestBackoff(),
                    queue.autoStartup(),
                    List.of(queue.deadLetterOn()),
                    List.of(queue.parkOn()),
                    false,
                    queue.batch(),
                    queue.batchWait()));
        }
        StreamListener stream = AnnotatedElementUtils.findMergedAnnotation(method, StreamListener.class);
        if (stream != null) {
            all.add(new ListenerAnnotation(
                    "@StreamListener",
                    false,
                    true,
                    stream.stream(),
                    stream.group(),
                    stream.id(),
                    stream.concurrency(),
                    stream.lease(),
                    stream.attempts(),
                    stream.backoff(),
                    stream.longestBackoff(),
                    stream.autoStartup(),
                    List.of(stream.deadLetterOn()),
                    List.of(stream.parkOn()),
                    false,
                    stream.batch(),
                    stream.batchWait()));
        }
        DeadLetterListener dead = AnnotatedElementUtils.findMergedAnnotation(method, DeadLetterListener.class);
        if (dead != null) {
            all.add(deadLetters(dead));
        }
        return all;
    }

    private static ListenerAnnotation deadLetters(DeadLetterListener dead) {
        boolean stream = !dead.stream().isEmpty();
        return new ListenerAnnotation(
                "@DeadLetterListener",
                true,
                stream,
                stream ? dead.stream() : dead.queue(),
                dead.group(),
                dead.id(),
                dead.concurrency(),
                dead.lease(),
                "",
                dead.backoff(),
                dead.longestBackoff(),
                dead.autoStartup(),
                List.of(),
                List.of(),
                stream == !dead.queue().isEmpty() || stream == dead.group().isEmpty(),
                "",
                "");
    }
}
