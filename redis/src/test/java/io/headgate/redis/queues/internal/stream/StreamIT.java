package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Producing entries, and the maximum length of a stream. */
class StreamIT {

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final EventStream<String> small =
            REDIS.stream(StreamSettings.of("orders").withMaxLength(3));

    private static long length() {
        return REDIS.stream().state().length();
    }

    private static String firstPayload() {
        List<?> entry =
                OwnStreams.list(OwnStreams.list(REDIS.probe.command("XRANGE", OwnStreams.KEY, "-", "+", "COUNT", "1"))
                        .get(0));
        return String.valueOf(OwnStreams.list(entry.get(1)).get(1));
    }

    private static List<NewEntry<String>> entries(int count) {
        return IntStream.range(0, count).mapToObj(i -> NewEntry.of("e" + i)).toList();
    }

    @Test
    void entries_are_stored_in_the_order_of_their_ids() {
        EntryId first = REDIS.stream().produce("a");
        List<EntryId> more =
                REDIS.stream().produceAll(List.of(NewEntry.of("b").header("trace", "4711"), NewEntry.of("größer")));
        assertThat(more).isSorted().allMatch(id -> id.compareTo(first) > 0);
        assertThat(REDIS.probe.command("XRANGE", OwnStreams.KEY, "-", "+"))
                .isEqualTo(List.of(
                        List.of(first.toString(), List.of("p", "a")),
                        List.of(more.get(0).toString(), List.of("p", "b", "trace", "4711")),
                        List.of(more.get(1).toString(), List.of("p", "größer"))));
        assertThat(REDIS.probe.command("KEYS", "hg:s:*")).isEqualTo(List.of(OwnStreams.KEY));
    }

    @Test
    void a_stream_without_groups_keeps_its_newest_entries() {
        small.produceAll(entries(3));
        small.produceAll(entries(2));
        assertThat(length()).isEqualTo(3);
        assertThat(firstPayload()).isEqualTo("e2");
    }

    @Test
    void a_full_stream_rejects_entries_while_its_oldest_entry_was_not_handed_out() {
        small.group("billing").claim(1);
        small.produceAll(entries(3));
        assertThatThrownBy(() -> small.produce("x"))
                .isInstanceOf(StreamFullException.class)
                .hasMessage(
                        "produce hg:s:{orders}: the stream is full: it may have 3 entries, 1 more would exceed that, and the"
                                + " group billing still needs the oldest; none was produced");
        assertThat(length()).isEqualTo(3);
        assertThat(firstPayload()).isEqualTo("e0");
    }

    @Test
    void a_full_stream_rejects_entries_while_its_oldest_entry_is_pending() {
        ConsumerGroup<String> billing = small.group("billing");
        small.produceAll(entries(3));
        List<Lease<String>> leases = billing.claim(3);
        leases.get(1).ack();
        leases.get(2).ack();
        assertThatThrownBy(() -> small.produce("x"))
                .isInstanceOfSatisfying(StreamFullException.class, full -> assertThat(full.group())
                        .isEqualTo("billing"));
        leases.get(0).ack();
        small.produce("x");
        assertThat(firstPayload()).isEqualTo("e1");
    }

    @Test
    void only_as_many_entries_are_trimmed_as_needed() {
        ConsumerGroup<String> billing = small.group("billing");
        small.produceAll(entries(3));
        billing.ackAll(billing.claim(2));
        assertThatThrownBy(() -> small.produceAll(entries(3))).isInstanceOf(StreamFullException.class);
        assertThat(firstPayload()).isEqualTo("e0");
        small.produce("x");
        assertThat(firstPayload()).isEqualTo("e1");
        small.produce("y");
        assertThat(firstPayload()).isEqualTo("e2");
        assertThatThrownBy(() -> small.produce("z")).isInstanceOf(StreamFullException.class);
        assertThat(OwnStreams.payloads(billing.claim(9))).containsExactly("e2", "x", "y");
    }

    @Test
    void entries_of_the_same_millisecond_are_trimmed_one_by_one() {
        ConsumerGroup<String> billing = small.group("billing");
        for (String id : List.of("5-9", "5-10", "5-11")) {
            REDIS.probe.command("XADD", OwnStreams.KEY, id, "p", id);
        }
        billing.ackAll(billing.claim(1));
        assertThatThrownBy(() -> small.produceAll(entries(2))).isInstanceOf(StreamFullException.class);
        small.produce("x");
        assertThat(firstPayload()).isEqualTo("5-10");
    }

    @Test
    void the_slowest_group_decides_which_entries_may_be_trimmed() {
        ConsumerGroup<String> billing = small.group("billing");
        small.group("search").claim(1);
        small.produceAll(entries(3));
        billing.ackAll(billing.claim(3));
        assertThatThrownBy(() -> small.produce("x"))
                .isInstanceOfSatisfying(StreamFullException.class, full -> assertThat(full.group())
                        .isEqualTo("search"));
    }

    @Test
    void an_entry_that_waits_for_a_retry_does_not_block_the_stream() {
        ConsumerGroup<String> billing = small.group("billing");
        small.produceAll(entries(3));
        billing.claim(3).forEach(lease -> lease.retry(Duration.ZERO, "no"));
        small.produceAll(entries(3));
        assertThat(billing.claim(9)).hasSize(6);
    }

    @Test
    void a_lowered_maximum_length_is_reached_in_steps() {
        REDIS.stream().produceAll(entries(250));
        small.produce("x");
        assertThat(length()).isEqualTo(150);
        small.produce("x");
        small.produce("x");
        assertThat(length()).isEqualTo(3);
    }

    @Test
    void producing_an_entry_deletes_the_key_that_requests_a_signal_for_a_waiting_consumer() {
        ConsumerGroup<String> billing = REDIS.billing();
        assertThat(billing.claim(1)).isEmpty();
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY + ":awaited")).isEqualTo(1L);
        REDIS.stream().produce("a");
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY + ":awaited")).isEqualTo(0L);
    }

    @Test
    void invalid_input_is_rejected_and_stores_nothing() {
        assertThatThrownBy(() -> REDIS.stream(StreamSettings.of("a b")))
                .hasMessage("name of a stream must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit,"
                        + " was \"a b\"");
        assertThatThrownBy(() -> small.produceAll(entries(4)))
                .hasMessage("number of entries must be from 1 to 3, was 4");
        assertThatThrownBy(() -> REDIS.stream(StreamSettings.of("orders").withMaxPayloadBytes(2))
                        .produce("abc"))
                .hasMessage("bytes of the payload must be from 0 to 2, was 3");
        assertThatThrownBy(() -> small.produce(NewEntry.of("a").header("headgate-entry", "1-0")))
                .hasMessage("the header headgate-entry is Headgate's own");
        assertThat(REDIS.probe.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void text_with_an_unpaired_surrogate_is_rejected() {
        String half = "half \ud83d";
        assertThatThrownBy(() -> small.produce(half)).hasMessageContaining("payload has half of a surrogate pair");
        assertThatThrownBy(() -> NewEntry.of("a").once(half)).hasMessageContaining("has half of a surrogate pair");
        assertThatThrownBy(() -> NewEntry.of("a").header("h", half)).hasMessageContaining("half of a surrogate pair");
        assertThat(REDIS.probe.command("KEYS", "*")).isEqualTo(List.of());
        small.produce("a");
        ConsumerGroup<String> billing = small.group("billing");
        Lease<String> lease = billing.claim(1).get(0);
        assertThatThrownBy(() -> lease.retry(Duration.ZERO, half)).hasMessageContaining("cause has half");
        assertThatThrownBy(() -> lease.deadLetter(half)).hasMessageContaining("cause has half");
        lease.retry(Duration.ZERO, "whole");
        Lease<String> again = billing.claim(1).get(0);
        assertThatThrownBy(() -> again.retry(Duration.ZERO, half)).hasMessageContaining("cause has half");
        assertThatThrownBy(() -> again.deadLetter(half)).hasMessageContaining("cause has half");
        assertThat(again.ack()).isEqualTo(Settled.DONE);
    }

    @Test
    void a_key_of_another_type_is_not_changed() {
        REDIS.probe.command("SET", OwnStreams.KEY, "mine");
        assertThatThrownBy(() -> small.produce("a"))
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("holds something that Headgate did not store; nothing was produced");
        assertThatThrownBy(() -> small.group("billing").claim(1))
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("holds something that Headgate did not store; nothing was claimed");
        assertThat(REDIS.probe.command("GET", OwnStreams.KEY)).isEqualTo("mine");
    }
}
