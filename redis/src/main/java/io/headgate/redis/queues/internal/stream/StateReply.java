package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.StreamState;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads the reply of state.lua: a sequence of strings. */
final class StateReply {

    private final byte[] reply;
    private int at;

    private StateReply(byte[] reply) {
        this.reply = reply;
    }

    static StreamState of(byte[] reply) {
        return new StateReply(reply).state();
    }

    private StreamState state() {
        return new StreamState(number(), id(), id(), several(this::group));
    }

    private StreamState.Group group() {
        return new StreamState.Group(
                text(),
                EntryId.parse(text()),
                Optional.of(text()).filter(lag -> !lag.isEmpty()).map(Long::valueOf),
                number(),
                id(),
                consumers());
    }

    /** The entries of a batch count for the consumer that has read it. */
    private List<StreamState.Consumer> consumers() {
        Map<String, StreamState.Consumer> consumers = new LinkedHashMap<>();
        several(() -> new StreamState.Consumer(Consumer.of(text()), number(), Duration.ofMillis(number())))
                .forEach(one -> consumers.merge(one.name(), one, StateReply::merged));
        return List.copyOf(consumers.values());
    }

    private static StreamState.Consumer merged(StreamState.Consumer one, StreamState.Consumer other) {
        Duration idle = one.idle().compareTo(other.idle()) < 0 ? one.idle() : other.idle();
        return new StreamState.Consumer(one.name(), one.pending() + other.pending(), idle);
    }

    private <E> List<E> several(Supplier<E> one) {
        return Stream.generate(one).limit(number()).toList();
    }

    private Optional<EntryId> id() {
        return Optional.of(text()).filter(id -> !id.isEmpty()).map(EntryId::parse);
    }

    private long number() {
        return Long.parseLong(text());
    }

    private String text() {
        int length = (int) Packed.number(reply, at, 2);
        String text = Utf8.text(reply, at + 2, length);
        at += 2 + length;
        return text;
    }
}
