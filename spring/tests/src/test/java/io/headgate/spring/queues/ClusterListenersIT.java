package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Tests of listeners on a real Cluster, also while one of its nodes does not answer. */
@Timeout(300)
class ClusterListenersIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SHARDS = 4;

    private static RedisCluster cluster;
    private static String withDeadLetters;
    private static ConfigurableApplicationContext application;
    private static Received received;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Listeners.class)
    static class Application {

        @Bean
        Received received() {
            return new Received();
        }
    }

    static class Listeners {

        private final Received received;

        Listeners(Received received) {
            this.received = received;
        }

        @QueueListener(queue = "mails", attempts = "2", backoff = "10ms")
        void mail(String text, Job<String> job) {
            received.add("mails", text);
            if (text.equals("retry") && job.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        }

        @QueueListener(queue = "batches", batch = "10", batchWait = "100ms")
        void batch(List<String> texts) {
            texts.forEach(text -> received.add("batches", text));
        }

        @StreamListener(stream = "orders", group = "billing")
        void bill(String text) {
            received.add("billing", text);
        }

        @DeadLetterListener(queue = "${with-dead-letters}", id = "dead", lease = "4s")
        void dead(String text) throws InterruptedException {
            received.add("dead", text);
            if (text.equals("slow")) {
                received.release().acquire();
            }
        }
    }

    @BeforeAll
    static void start() {
        // No replica takes over, and the other nodes serve, while a node does not answer.
        cluster = RedisCluster.start("--cluster-node-timeout", "600000", "--cluster-require-full-coverage", "no");
        withDeadLetters = nameOfQueue();
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.data.redis.cluster.nodes="
                                + cluster.nodes().stream()
                                        .map(node -> "127.0.0.1:" + node.port())
                                        .collect(Collectors.joining(",")),
                        "headgate.redis.key-prefix=c",
                        "headgate.redis.timeout=4s",
                        "headgate.queues.declared.mails.shards=8",
                        "headgate.queues.declared." + withDeadLetters + ".shards=" + SHARDS,
                        "with-dead-letters=" + withDeadLetters)
                .run();
        received = application.getBean(Received.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        cluster.close();
    }

    /**
     * Returns the name of a queue of which the first shard is on another node than the last one, the notifications of its dead letters, and
     * the registry of queues.
     */
    private static String nameOfQueue() {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "orders" + i)
                .filter(name -> List.of(
                                "c:q:{" + name + ":" + (SHARDS - 1) + "}", "c:q:{" + name + ".dead-letters}", "c:queues")
                        .stream()
                        .noneMatch(key -> isOnFirstNode(name, key)))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isOnFirstNode(String queue, String key) {
        return Objects.equals(cluster.masterOf(key), firstNode(queue));
    }

    private static RedisServer firstNode(String queue) {
        return cluster.masterOf("c:q:{" + queue + "}");
    }

    private static JobQueue<String> queue(String name) {
        return application.getBean(QueueEngine.class).queue(name, Codec.text());
    }

    private static int shard(JobId id) {
        return Integer.parseInt(id.value().substring(0, 2), 16);
    }

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, condition);
    }

    @Test
    void jobs_and_entries_of_all_nodes_are_handled() {
        QueueTemplate template = application.getBean(QueueTemplate.class);
        for (int i = 0; i < 50; i++) {
            template.enqueue("mails", "mail " + i);
            template.enqueue("batches", "job " + i);
            template.produce("orders", "order " + i);
        }
        template.enqueue("mails", "retry");

        await("all mails", () -> received.of("mails").size() == 52);
        await("all jobs", () -> received.of("batches").size() == 50);
        await("all entries", () -> received.of("billing").size() == 50);
        assertThat(received.of("mails").stream().distinct()).hasSize(51);
        assertThat(received.of("batches")).doesNotHaveDuplicates();
        assertThat(received.of("billing")).doesNotHaveDuplicates();
        await("all are done", () -> queue("mails").counts().leased() + queue("batches").counts().leased() == 0);
    }

    @Test
    void a_node_that_does_not_answer_delays_only_its_own_dead_letters() {
        JobQueue<String> orders = openWithDeadLetters();
        QueueListeners listeners = application.getBean(QueueListeners.class);
        listeners.pause("dead");
        for (int i = 0; i < 40; i++) {
            orders.enqueue("dead " + i);
        }
        List<Lease<String>> leases = orders.claim(40, Duration.ofSeconds(30));
        assertThat(leases).hasSize(40);
        List<String> onFirstNode = leases.stream()
                .filter(lease -> isOnShardOfFirstNode(lease.job().id()))
                .map(lease -> lease.job().payload())
                .toList();
        leases.forEach(lease -> lease.deadLetter("no use"));
        int delayed = onFirstNode.size();
        assertThat(delayed).isBetween(1, 39);

        RedisServer paused = firstNode(withDeadLetters);
        paused.pause();
        try {
            listeners.resume("dead");
            await("the dead letters of the other nodes", () -> dead().size() == 40 - delayed);
            assertThat(dead()).doesNotContainAnyElementsOf(onFirstNode);
        } finally {
            paused.resume();
        }
        await("all dead letters", () -> dead().containsAll(onFirstNode) && orders.counts().dead() == 0);
    }

    private static List<String> dead() {
        return received.of("dead").stream()
                .filter(text -> text.startsWith("dead "))
                .distinct()
                .toList();
    }

    private static boolean isOnShardOfFirstNode(JobId id) {
        int shard = shard(id);
        return isOnFirstNode(withDeadLetters, "c:q:{" + withDeadLetters + (shard == 0 ? "" : ":" + shard) + "}");
    }

    private static JobQueue<String> openWithDeadLetters() {
        return application
                .getBean(QueueEngine.class)
                .queue(QueueSettings.of(withDeadLetters).withShards(SHARDS), Codec.text());
    }

    @Test
    void the_lease_is_renewed_while_a_node_does_not_answer_to_the_discard() {
        JobQueue<String> orders = openWithDeadLetters();
        String group = IntStream.range(0, 1000)
                .mapToObj(i -> "g" + i)
                .filter(name -> {
                    JobId id = orders.enqueue(NewJob.of("probe").group(name)).id();
                    return orders.cancel(id) && isOnShardOfFirstNode(id);
                })
                .findFirst()
                .orElseThrow();
        orders.enqueue(NewJob.of("slow").group(group));
        orders.claim(1, Duration.ofSeconds(30)).forEach(lease -> lease.deadLetter("no use"));
        received.await("dead", "slow");

        RedisServer paused = firstNode(withDeadLetters);
        paused.pause();
        try {
            Instant first = notification().map(ClusterListenersIT::expiry).findFirst().orElseThrow();
            // Three calls discard it, each of which has a timeout of 4 seconds.
            received.release().release();
            await("renewals", () -> {
                List<StoredJob<String>> leased = notification().toList();
                // The next delivery would have a lease, too.
                assertThat(leased).singleElement().satisfies(found -> assertThat(found.job().delivery()).isEqualTo(1));
                return expiry(leased.get(0)).isAfter(first.plusMillis(4500));
            });
        } finally {
            paused.resume();
        }
        await("the discard", () -> orders.counts().dead() == 0);
        assertThat(received.of("dead").stream().filter("slow"::equals)).hasSize(1);
    }

    private static Stream<StoredJob<String>> notification() {
        return queue(withDeadLetters + ".dead-letters").jobs(JobState.Kind.LEASED, 10).items().stream();
    }

    private static Instant expiry(StoredJob<String> leased) {
        return ((JobState.Leased) leased.state()).expiresAt();
    }
}
