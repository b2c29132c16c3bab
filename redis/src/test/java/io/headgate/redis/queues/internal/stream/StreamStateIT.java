package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Lease;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.StreamState;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The reported state of a stream and its groups. */
@ServerVersionSensitive
class StreamStateIT {

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    @Test
    void the_state_of_a_missing_stream_is_empty_and_does_not_create_it() {
        assertThat(REDIS.stream().state()).isEqualTo(new StreamState(0, Optional.empty(), Optional.empty(), List.of()));
        assertThat(REDIS.probe.command("EXISTS", OwnStreams.KEY)).isEqualTo(0L);
    }

    @Test
    void a_stream_reports_how_far_its_groups_have_read() {
        List<EntryId> ids = List.of(
                REDIS.stream().produce("a"),
                REDIS.stream().produce("b"),
                REDIS.stream().produce("c"));
        ConsumerGroup<String> billing = REDIS.billing();
        List<Lease<String>> leases = billing.claim(2);
        leases.get(0).ack();
        REDIS.stream().group("search").claim(3);
        StreamState state = REDIS.stream().state();
        assertThat(state.length()).isEqualTo(3);
        assertThat(state.first()).contains(ids.get(0));
        assertThat(state.last()).contains(ids.get(2));
        assertThat(state.groups()).extracting(StreamState.Group::name).containsExactly("billing", "search");
        StreamState.Group group = state.groups().get(0);
        assertThat(group.delivered()).isEqualTo(ids.get(1));
        assertThat(group.pending()).isEqualTo(1);
        assertThat(group.oldestPending()).contains(ids.get(1));
        assertThat(group.lag()).isEqualTo(REDIS.version().startsWith("6.") ? Optional.empty() : Optional.of(1L));
        assertThat(group.consumers()).singleElement().satisfies(consumer -> {
            assertThat(consumer.pending()).isEqualTo(1);
            assertThat(consumer.name()).matches("[0-9a-f]{32}");
            assertThat(consumer.idle()).isLessThan(Duration.ofMinutes(1));
        });
    }

    @Test
    void a_group_that_has_settled_all_has_nothing_pending() {
        REDIS.stream().produce("a");
        REDIS.billing().claim(1).get(0).ack();
        StreamState.Group group = REDIS.stream().state().groups().get(0);
        assertThat(group.pending()).isZero();
        assertThat(group.oldestPending()).isEmpty();
    }
}
