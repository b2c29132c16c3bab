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

    /** Returns the fence of the group, which {@link FenceIT} describes. */
    private static long fence() {
        return Packed.number(scanState(), 7, 7);
    }

    private static byte[] scanState() {
        return (byte[]) Objects.requireNonNull(REDIS.probe.commandBytes(
                "GET".getBytes(StandardCharsets.UTF_8), OwnStreams.SCAN_STATE.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_declared_group_receives_entries_that_another_group_has_already_settled() {
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

    /** The reason to declare groups. */
    @Test
    void a_group_that_is_not_declared_misses_entries_that_were_trimmed_before() {
        stream.declareGroup("billing");
        ConsumerGroup<String> billing = stream.group("billing");
        for (String payload : List.of("a", "b", "c", "d", "e")) {
            produce(payload);
            billing.ackAll(billing.claim(9));
        }
        assertThat(claimed("search")).containsExactly("c", "d", "e");
    }

    @Test
    void a_declared_group_starts_at_the_position_of_its_settings() {
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
    void declaring_a_group_again_changes_nothing() {
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
    void a_declared_group_is_listed_before_anything_is_produced_or_claimed() {
        stream.declareGroup("billing");
        StreamState state = stream.state();
        assertThat(state.length()).isZero();
        assertThat(state.groups()).singleElement().satisfies(group -> {
            assertThat(group.name()).isEqualTo("billing");
            assertThat(group.pending()).isZero();
            assertThat(group.consumers()).isEmpty();
        });
        Await.until("its name is registered", Duration.ofSeconds(30), () -> REDIS.engine
                .streamNames()
                .equals(List.of("orders")));
    }

    @Test
    void a_removed_group_can_be_declared_again_and_its_earlier_leases_are_lost() {
        stream.declareGroup("billing");
        produce("a");
        Lease<String> before = stream.group("billing").claim(1).get(0);
        assertThat(stream.removeGroup("billing")).isTrue();
        assertThat(stream.state().groups()).isEmpty();
        assertThat(stream.declareGroup("billing")).isTrue();
        List<Lease<String>> again = REDIS.otherBilling().claim(1);
        assertThat(OwnStreams.payloads(again)).containsExactly("a");
        assertThat(before.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(REDIS.pending()).isEqualTo(1);
        assertThat(again.get(0).ack()).isEqualTo(Settled.DONE);
    }

    /** XGROUP DESTROY leaves the group's fence behind, unlike removeGroup. */
    @Test
    void declaring_a_group_that_was_destroyed_with_xgroup_raises_its_fence() {
        stream.declareGroup("billing");
        produce("a");
        Lease<String> before = stream.group("billing").claim(1).get(0);
        long fence = fence();
        REDIS.probe.command("XGROUP", "DESTROY", OwnStreams.KEY, "billing");
        assertThat(stream.declareGroup("billing")).isTrue();
        assertThat(fence()).isGreaterThan(fence);
        List<Lease<String>> again = REDIS.otherBilling().claim(1);
        assertThat(before.ack()).isEqualTo(Settled.LEASE_LOST);
        assertThat(again.get(0).ack()).isEqualTo(Settled.DONE);
    }

    /** The stored keys and bytes before and after the script. */
    @Test
    void declaring_a_group_creates_the_group_its_stream_and_its_fence() {
        assertThat(REDIS.probe.command("KEYS", OwnStreams.KEY + "*")).isEqualTo(List.of());
        long before = REDIS.millis();
        stream.declareGroup("billing");
        assertThat(OwnStreams.list(REDIS.probe.command("KEYS", OwnStreams.KEY + "*")).stream()
                        .map(String::valueOf))
                .containsExactlyInAnyOrder(OwnStreams.KEY, OwnStreams.SCAN_STATE);
        byte[] scanState = scanState();
        // When to scan next, the fence, and the id 0-0, from which to scan.
        assertThat(scanState).hasSize(14 + 3);
        assertThat(Packed.number(scanState, 0, 7)).isZero();
        assertThat(Packed.number(scanState, 7, 7) / 1000).isBetween(before, REDIS.millis());
    }

    @Test
    void a_key_of_another_type_is_not_changed() {
        REDIS.probe.command("SET", OwnStreams.KEY, "mine");
        assertThatThrownBy(() -> stream.declareGroup("billing"))
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("holds something that Headgate did not store; nothing was changed");
        assertThat(REDIS.probe.command("GET", OwnStreams.KEY)).isEqualTo("mine");
        REDIS.probe.flushAll();
        REDIS.probe.command("RPUSH", OwnStreams.SCAN_STATE, "mine");
        assertThatThrownBy(() -> stream.declareGroup("billing")).isInstanceOf(QueueException.class);
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY)).isEqualTo(0L);
    }

    @Test
    void an_invalid_group_name_is_rejected() {
        assertThatThrownBy(() -> stream.declareGroup("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThat(REDIS.probe.command("KEYS", "*")).isEqualTo(List.of());
    }

    @Test
    void a_batch_is_rejected_as_a_whole_while_a_declared_group_needs_the_stored_entries() {
        stream.declareGroup("billing");
        stream.produceAll(List.of(NewEntry.of("a"), NewEntry.of("b")));
        assertThatThrownBy(() -> stream.produceAll(List.of(NewEntry.of("c"), NewEntry.of("d"))))
                .isInstanceOf(StreamFullException.class);
        assertThat(claimed("billing")).containsExactly("a", "b");
    }
}
