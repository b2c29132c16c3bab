package io.headgate.spring.queues.internal;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.worker.JobSource;
import io.headgate.spring.queues.internal.deadletters.DeadLetterSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** Opens the queues and streams of the application with the settings that are declared. Safe for use by several threads. */
final class ApplicationQueues {

    /** Further ones are opened for each use. */
    private static final int MAX_OPEN = 1000;

    /** The most that is allowed: the next scan would only enqueue another notification. */
    private static final int MAX_CRASHES = 100;

    private final Supplier<QueueEngine> engine;
    private final QueueDefinitions definitions;
    private final Map<String, JobQueue<byte[]>> queues = new ConcurrentHashMap<>();
    private final Map<String, EventStream<byte[]>> streams = new ConcurrentHashMap<>();

    /**
     * Creates an instance.
     *
     * @param engine returns the engine, which is created when it is first needed
     */
    ApplicationQueues(Supplier<QueueEngine> engine, QueueDefinitions definitions) {
        this.engine = engine;
        this.definitions = definitions;
    }

    /** Creates the engine if necessary, so that a wrong configuration fails now. */
    void requireEngine() {
        Objects.requireNonNull(engine.get());
    }

    /** Returns the names of the queues that the application has used. */
    Set<String> openQueues() {
        return queues.keySet();
    }

    /** Returns the names of the streams that the application has used. */
    Set<String> openStreams() {
        return streams.keySet();
    }

    JobQueue<byte[]> queue(String name) {
        return opened(queues, name, wanted -> engine.get().queue(definitions.queue(wanted), Codec.bytes()));
    }

    EventStream<byte[]> stream(String name) {
        return opened(streams, name, wanted -> engine.get().stream(definitions.stream(wanted), Codec.bytes()));
    }

    private static <T> T opened(Map<String, T> open, String name, Function<String, T> opening) {
        T known = open.get(name);
        if (known == null) {
            known = opening.apply(name);
            if (open.size() < MAX_OPEN) {
                open.put(name, known);
            }
        }
        return known;
    }

    /** Opens the queue or group of a listener. */
    JobSource<byte[]> source(ListenerSpec listener) {
        Optional<ConsumerGroup<byte[]>> group = listener.group()
                .map(name -> stream(listener.source()).group(definitions.group(listener.source(), name)));
        if (listener.deadLetters()) {
            return new DeadLetterSource(
                    "dead letters of "
                            + group.map(ConsumerGroup::source)
                                    .orElseGet(() -> queue(listener.source()).source())
                                    .name(),
                    group.map(of -> of.async().deadLetters())
                            .orElseGet(() -> queue(listener.source()).async().deadLetters()),
                    engine.get()
                            .queue(
                                    definitions.queue(listener.destination()).withMaxCrashes(MAX_CRASHES),
                                    Codec.bytes()));
        }
        return group.map(ConsumerGroup::source)
                .orElseGet(() -> queue(listener.source()).source());
    }
}
