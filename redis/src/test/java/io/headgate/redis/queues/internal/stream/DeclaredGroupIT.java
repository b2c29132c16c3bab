package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.streams.StreamState;
import io.headgate.redis.internal.script.Packed;
import io.headgate.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Groups that are created before their first claim. */
class DeclaredGroupIT {

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final EventStream<String> stream =
            REDIS.stream(StreamSettings.of("orders").withMaxLength(3));

    private void produce(String... payloads) {
        for (String payload : payloads) {
            stream.produce(payload);
        }
    }

    private List<String> claimed(String group) {
        return OwnStreams.payloads(stream.group(group).claim(9));
    }

    private static long fence() {
        return Packed.number(looks(), 7, 7);
    }

    private static byte[] looks() {
        return (byte[]) Objects.requireNonNull(REDIS.probe.commandBytes(
                "GET".getBytes(StandardCharsets.UTF_8), OwnStreams.LOOKS.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_declared_group_is_handed_what_another_one_has_settled() {
        assertThat(stream.declareGroup("billing")).isTrue();
        assertThat(stream.declareGroup("search")).isTrue();
        produce("a", "b", "c");
        ConsumerGroup<String> billing = stream.group("billing");
        billing.ackAll(billing.claim(3));
        assertThatThrownBy(() -> stream.produce("d"))
                .isInstanceOfSatisfying(StreamFullException.class, full -> assertThat(full.group())
                        .isEqualTo("search"));
        ConsumerGroup<String> search = stream.group("search");
        List<Lease<String>> leases = search.claim(9);
        assertThat(OwnStreams.payloads(leases)).containsExactly("a", "b", "c");
        search.ackAll(leases);
        produce("d");
        assertThat(claimed("billing")).containsExactly("d");
        assertThat(claimed("search")).containsExactly("d");
    }

    /** What it is for: without the declaration the group misses what was trimmed. */
    @Test
    void a_group_that_is_not_declared_misses_what_was_trimmed_before() {
        stream.declareGroup("billing");
        ConsumerGroup<String> billing = stream.group("billing");
        for (String payload : List.of("a", "b", "c", "d", "e")) {
            produce(payload);
            billing.ackAll(billing.claim(9));
        }
        assertThat(claimed("search")).containsExactly("c", "d", "e");
    }

    @Test
    void it_begins_where_its_settings_say() {
        EntryId first = stream.produce("a");
        produce("b");
        stream.declareGroup(GroupSettings.of("all"));
        stream.declareGroup(GroupSettings.of("now").fromNow());
        stream.declareGroup(GroupSettings.of("after").after(first));
        produce("c");
        assertThat(claimed("all")).containsExactly("a", "b", "c");
        assertThat(claimed("now")).containsExactly("c");
        assertThat(claimed("after")).containsExactly("b", "c");
    }

    @Test
    void to_declare_it_again_changes_nothing() {
        produce("a", "b");
        assertThat(stream.declareGroup("billing")).isTrue();
        Lease<String> lease = stream.group("billing").claim(1).get(0);
        long fence = fence();
        assertThat(stream.declareGroup("billing")).isFalse();
        assertThat(stream.declareGroup(GroupSettings.of("billing").fromNow())).isFalse();
        assertThat(stream.async().declareGroup("billing").toCompletableFuture().join())
                .isFalse();
        assertThat(fence()).isEqualTo(fence);
        assertThat(lease.ack()).isEqualTo(Settled.DONE);
        assertThat(claimed("billing")).containsExactly("b");
    }

    @Test
    void it_is_listed_before_anything_is_produced_and_claimed() {
        stream.declareGroup("billing");
        StreamState state = stream.state();
        assertThat(state.length()).isZero();
        assertThat(state.groups()).singleElement().satisfies(group -> {
            assertThat(group.name()).isEqualTo("billing");
            assertThat(group.pending()).isZero();
            assertThat(group.consumers()).isEmpty();
        });
        Await.until("its name is registered", Duration.ofSeconds(30), () -> REDIS.one
                .streamNames()
                .equals(List.of("orders")));
    }

    @Test
    void a_group_that_was_removed_is_declared_again_and_leases_from_before_are_lost() {
        stream.declareGroup("billing");
        produce("a");
        Lease<String> before = stream.group("billing").claim(1).get(0);
        assertThat(stream.removeGroup("billing")).isTrue();
        assertThat(stream.state().groups()).isEmpty();
        assertThat(stream.declareGroup("billing")).isTrue();
        List<Lease<String>> again = REDIS.othersBilling().claim(1);
        assertThat(OwnStreams.payloads(again)).containsExactly("a");
        assertThat(before.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isEqualTo(1);
        assertThat(again.get(0).ack()).isEqualTo(Settled.DONE);
    }

    /** XGROUP DESTROY leaves the group's fence behind, unlike removeGroup. */
    @Test
    void the_fence_of_a_group_that_others_destroyed_is_raised() {
        stream.declareGroup("billing");
        produce("a");
        Lease<String> before = stream.group("billing").claim(1).get(0);
        long fence = fence();
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertThat(stream.declareGroup("billing")).isTrue();
        assertThat(fence()).isGreaterThan(fence);
        List<Lease<String>> again = REDIS.othersBilling().claim(1);
        assertThat(before.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(again.get(0).ack()).isEqualTo(Settled.DONE);
    }

    /** The state before and after, and the reply, as the script has them. */
    @Test
    void the_script_creates_group_stream_and_fence() {
        assertThat(REDIS.probe.command("KEYS", OwnStreams.KEY + "*")).isEqualTo(List.of());
        long before = REDIS.millis();
        stream.declareGroup("billing");
        assertThat(OwnStreams.list(REDIS.probe.command("KEYS", OwnStreams.KEY + "*")).stream()
                        .map(String::valueOf))
                .containsExactlyInAnyOrder(OwnStreams.KEY, OwnStreams.LOOKS);
        byte[] looks = looks();
        assertThat(looks).hasSize(14 + 3);
        assertThat(Packed.number(looks, 0, 7)).isZero();
        assertThat(Packed.number(looks, 7, 7) / 1000).isBetween(before, REDIS.millis());
    }

    @Test
    void a_key_of_another_kind_is_left_alone() {
        REDIS.probe.command("SET", OwnStreams.KEY, "mine");
        assertThatThrownBy(() -> stream.declareGroup("billing"))
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("holds something that Headgate did not store; nothing was changed");
        assertThat(REDIS.probe.command("GET", OwnStreams.KEY)).isEqualTo("mine");
        REDIS.probe.flushAll();
        REDIS.probe.command("RPUSH", OwnStreams.LOOKS, "mine");
        assertThatThrownBy(() -> stream.declareGroup("billing")).isInstanceOf(QueueException.class);
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY)).isEqualTo(0L);
    }

    @Test
    void a_name_that_is_none_is_refused() {
        assertThatThrownBy(() -> stream.declareGroup("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThat(REDIS.probe.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void a_batch_is_refused_whole_while_a_declared_group_needs_what_is_there() {
        stream.declareGroup("billing");
        stream.produceAll(List.of(NewEntry.of("a"), NewEntry.of("b")));
        assertThatThrownBy(() -> stream.produceAll(List.of(NewEntry.of("c"), NewEntry.of("d"))))
                .isInstanceOf(StreamFullException.class);
        assertThat(claimed("billing")).containsExactly("a", "b");
    }
}
