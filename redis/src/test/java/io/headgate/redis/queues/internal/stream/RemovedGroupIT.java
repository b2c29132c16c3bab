package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Groups that are removed. */
class RemovedGroupIT {

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final EventStream<String> stream =
            REDIS.stream(StreamSettings.of("orders").withMaxLength(3));
    private final ConsumerGroup<String> billing =
            stream.group(GroupSettings.of("billing").withKeepDone(Duration.ofMinutes(1)));

    @Test
    void an_abandoned_group_keeps_a_stream_full_until_it_is_removed() {
        assertThat(billing.claim(1)).isEmpty();
        stream.produceAll(List.of(NewEntry.of("a"), NewEntry.of("b"), NewEntry.of("c")));
        assertThatThrownBy(() -> stream.produce("d"))
                .isInstanceOf(StreamFullException.class)
                .hasMessageContaining("billing");
        assertThat(stream.removeGroup("billing")).isTrue();
        stream.produce("d");
        assertThat(stream.state().groups()).isEmpty();
        assertThat(stream.state().length()).isEqualTo(3);
    }

    @Test
    void removing_a_group_deletes_all_of_its_keys_and_nothing_of_other_groups() {
        stream.produceAll(List.of(NewEntry.of("a").once("k"), NewEntry.of("b"), NewEntry.of("c")));
        ConsumerGroup<String> search = stream.group("search");
        List<Lease<String>> kept = search.claim(3);
        List<Lease<String>> leases = billing.claim(3);
        leases.get(0).ack();
        leases.get(1).retry(Duration.ofMinutes(1), "no");
        leases.get(2).deadLetter("no");
        REDIS.probe.command("ZADD", OwnStreams.KEY + ":g:billing:dead", "7", "unreadable");
        billing.retriedEntries().repair();
        assertThat(REDIS.probe.command("LLEN", OwnStreams.KEY + ":g:billing:aside"))
                .isEqualTo(1L);
        assertThat(stream.removeGroup("billing")).isTrue();
        assertThat(OwnStreams.list(REDIS.probe.command("KEYS", "*billing*"))).isEmpty();
        assertThat(stream.removeGroup("billing")).isFalse();
        assertThat(search.ackAll(kept)).containsOnly(Settled.DONE);
    }

    @Test
    void a_consumer_that_still_claims_recreates_the_group_after_its_last_claimed_entry() {
        stream.produce("a");
        Lease<String> lost = billing.claim(1).get(0);
        stream.removeGroup("billing");
        assertThat(lost.ack()).isEqualTo(Settled.LEASE_LOST);
        stream.produce("b");
        assertThat(OwnStreams.payloads(billing.claim(9))).containsExactly("b");
    }

    @Test
    void a_group_of_a_missing_stream_is_not_removed_and_an_invalid_name_is_rejected() {
        assertThat(stream.removeGroup("no-such-group")).isFalse();
        assertThatThrownBy(() -> stream.removeGroup("{x}")).isInstanceOf(IllegalArgumentException.class);
    }
}
