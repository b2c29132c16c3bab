package io.headgate.spring.queues.internal;

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
 * @param stream whether the source is a stream
 * @param source the queue or stream
 * @param group the group; empty for a queue
 */
record ListenerAnnotation(
        String name,
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
        List<Class<? extends Throwable>> parkOn) {

    /** Returns the annotations of a method. */
    static List<ListenerAnnotation> of(Method method) {
        List<ListenerAnnotation> all = new ArrayList<>();
        QueueListener queue = AnnotatedElementUtils.findMergedAnnotation(method, QueueListener.class);
        if (queue != null) {
            all.add(new ListenerAnnotation(
                    "@QueueListener",
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
                    List.of(queue.parkOn())));
        }
        StreamListener stream = AnnotatedElementUtils.findMergedAnnotation(method, StreamListener.class);
        if (stream != null) {
            all.add(new ListenerAnnotation(
                    "@StreamListener",
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
                    List.of(stream.parkOn())));
        }
        return all;
    }
}
