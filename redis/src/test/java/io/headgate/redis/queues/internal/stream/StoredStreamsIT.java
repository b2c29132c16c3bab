package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Lease;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.redis.Golden;
import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All keys and bytes that a stream stores after a sequence of calls, compared with a committed file: a change of the format changes the
 * file.
 */
@ServerVersionSensitive
class StoredStreamsIT {

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    @Test
    void keys_and_bytes_of_a_stream_with_a_group_equal_the_committed_file() {
        REDIS.stream().declareGroup("search");
        for (int i = 0; i < 5; i++) {
            REDIS.stream().produce(NewEntry.of("entry " + i).header("trace", "00-" + i));
        }
        List<Lease<String>> leases = REDIS.billing(GroupSettings.of("billing").withKeepDone(Duration.ofHours(1)))
                .claim(4);
        leases.get(0).ack();
        leases.get(1).retry(Duration.ofHours(1), "connection refused");
        leases.get(2).deadLetter("no such customer");
        Await.until("the name of the stream", Duration.ofSeconds(20), () -> Long.valueOf(1)
                .equals(REDIS.probe.command("HEXISTS", "hg:streams", "orders")));
        Golden.assertStoredByRedisClock("stream.txt", REDIS.probe);
    }
}
