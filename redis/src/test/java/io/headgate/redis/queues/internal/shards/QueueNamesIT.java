package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An engine lists the names of queues and streams from their first job or entry until their keys are deleted. */
class QueueNamesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(REDIS.url());

    @AfterEach
    void close() {
        probe.flushAll();
        engine.close();
        probe.close();
    }

    @Test
    void names_are_listed_in_alphabetical_order_each_once() {
        assertThat(engine.names()).isEmpty();
        for (String name : List.of("orders", "mails", "orders")) {
            engine.queue(name, Codec.text()).enqueue("a");
        }
        engine.stream("events", Codec.text()).produce("a");
        engine.queue("only-asked", Codec.text()).counts();
        assertThat(engine.names()).containsExactly("mails", "orders");
        assertThat(engine.streamNames()).containsExactly("events");
    }

    @Test
    void a_removed_queue_is_no_longer_listed_until_it_is_used_again() {
        engine.queue("orders", Codec.text()).enqueue("a");
        probe.command("DEL", "hg:q:{orders}", "hg:q:{orders}:ready:1", "hg:q:{orders}:ready-records:1");
        assertThat(engine.names()).isEmpty();
        engine.queue("orders", Codec.text()).enqueue("a");
        assertThat(engine.names()).containsExactly("orders");
    }

    @Test
    void a_queue_of_several_shards_is_listed_once_whichever_shard_has_jobs() {
        QueueSettings shards = QueueSettings.of("orders").withShards(8);
        for (int i = 0; i < 8; i++) {
            engine.queue(shards, Codec.text()).enqueue("a");
            assertThat(engine.names()).containsExactly("orders");
        }
        assertThat(probe.command("HGETALL", "hg:queues")).isEqualTo(List.of("orders", "8"));
    }

    @Test
    void names_are_registered_again_by_the_next_enqueue_after_all_data_was_lost() {
        JobQueue<String> queue = engine.queue("orders", Codec.text());
        JobQueue<String> sharded = engine.queue(QueueSettings.of("mails").withShards(8), Codec.text());
        queue.enqueue("a");
        sharded.enqueue("a");
        assertThat(engine.names()).containsExactly("mails", "orders");
        probe.flushAll();
        queue.claim(1, Duration.ofMinutes(1));
        queue.enqueue("a");
        sharded.enqueueAll(List.of(NewJob.of("a"), NewJob.of("b")));
        // Calls of one engine are made in the order in which they were sent.
        assertThat(engine.names()).containsExactly("mails", "orders");
        assertThat(probe.command("HGET", "hg:queues", "mails")).isEqualTo("8");
    }

    @Test
    void a_thousand_names_are_listed() {
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < 1000; i++) {
            names.add("queue" + i);
            engine.queue("queue" + i, Codec.text()).enqueue("a");
        }
        assertThat(engine.names()).containsExactlyElementsOf(names);
    }

    @Test
    void a_failed_registration_fails_no_call_and_is_retried_later() {
        JobQueue<String> queue = engine.queue("orders", Codec.text());
        queue.counts();
        probe.command("SET", "hg:queues", "foreign");
        queue.enqueue("a");
        assertThat(queue.claim(1, Duration.ofMinutes(1))).hasSize(1);
        probe.command("DEL", "hg:queues");
        queue.enqueue("a");
        assertThat(engine.names()).containsExactly("orders");
    }

    @Test
    void a_queue_is_not_used_while_its_number_of_shards_can_not_be_read() {
        probe.command("SET", "hg:queues", "foreign");
        JobQueue<String> queue = engine.queue("orders", Codec.text());
        assertThatThrownBy(() -> queue.enqueue("a"))
                .isInstanceOfSatisfying(
                        QueueException.class, e -> assertThat(e.mayBeDone()).isFalse())
                .hasMessageStartingWith(
                        "open hg:queues: the number of shards of orders could not be read, and nothing was sent: ");
        probe.command("DEL", "hg:queues");
        queue.enqueue("a");
        assertThat(queue.counts().ready()).isEqualTo(1);
    }

    @Test
    void invalid_fields_of_the_registry_are_ignored() {
        engine.queue("orders", Codec.text()).enqueue("a");
        assertThat(engine.names()).hasSize(1);
        probe.command("HSET", "hg:queues", "no name", "1", "", "1", "a:b", "1", "mails", "65", "c", "0", "d\n", "1");
        assertThat(engine.names()).containsExactly("orders");
        assertThat(engine.queue("mails", Codec.text()).shards()).isEqualTo(1);
    }
}
