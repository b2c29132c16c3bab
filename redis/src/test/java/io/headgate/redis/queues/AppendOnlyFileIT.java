package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that were confirmed to be in an append-only file survive a restart of Redis from that file. */
@Timeout(120)
@ServerVersionSensitive
class AppendOnlyFileIT {

    private static final String[] WITH_FILE = {"--appendonly", "yes", "--appendfsync", "everysec"};
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int JOBS = 48;
    private static final Durability LOCAL = Durability.appendOnlyFile(true, 0, Duration.ofSeconds(20));

    private static JobQueue<String> queue(RedisQueueEngine engine, Durability durability) {
        return engine.queue(QueueSettings.of("orders").withDurability(durability), Codec.text());
    }

    private static QueueException failureOf(Runnable call) {
        return catchThrowableOfType(QueueException.class, call::run);
    }

    /** Redis has WAITAOF from 7.2 on; there, this test disables the command by renaming it. */
    @Test
    void a_durable_queue_is_rejected_on_a_server_without_waitaof() {
        String[] without = Requirement.WAITAOF.isMet()
                ? new String[] {"--appendonly", "yes", "--rename-command", "WAITAOF", ""}
                : WITH_FILE;
        try (RedisServer redis = RedisServer.startOwn(without);
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            assertThatThrownBy(() -> queue(engine, LOCAL))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("Durability.appendOnlyFile needs WAITAOF, which Redis has from 7.2 on");
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void a_durable_queue_is_rejected_on_a_server_without_an_append_only_file() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            assertThatThrownBy(() -> queue(engine, LOCAL))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("needs the server's append-only file, which is off (appendonly no)");
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void a_job_is_unconfirmed_when_the_append_only_file_is_turned_off_later() {
        try (RedisServer redis = RedisServer.startOwn(WITH_FILE);
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            JobQueue<String> queue = queue(engine, LOCAL);
            queue.enqueue("a");
            probe.command("CONFIG", "SET", "appendonly", "no");
            QueueException problem = failureOf(() -> queue.enqueue("b"));
            assertThat(problem.problem())
                    .startsWith("in the queue, but its durability is unknown: ")
                    .contains("append-only file, which is off");
            assertThat(problem.mayBeDone()).isTrue();
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void confirmed_jobs_survive_a_kill_of_redis() {
        try (RedisServer redis = RedisServer.startOwn(WITH_FILE);
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            JobQueue<String> queue = queue(engine, LOCAL);
            probe.command("CONFIG", "RESETSTAT");
            Set<String> enqueued = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                queue.enqueue("job" + i);
                enqueued.add("job" + i);
            }
            assertThat(probe.commandCalls()).containsEntry("WAITAOF", 3L);
            redis.kill();
            redis.restart();
            try (RedisQueueEngine after = Engines.queues(redis.url())) {
                Set<String> found = new HashSet<>();
                queue(after, Durability.none())
                        .claim(10, LEASE)
                        .forEach(lease -> found.add(lease.job().payload()));
                assertThat(found).isEqualTo(enqueued);
            }
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void jobs_confirmed_by_a_replica_survive_a_failover() {
        try (ReplicatedRedis redis = new ReplicatedRedis(WITH_FILE);
                RedisQueueEngine engine = Engines.queues(redis.primary.url())) {
            queue(engine, Durability.appendOnlyFile(true, 1, Duration.ofSeconds(20)))
                    .enqueue("a");
            redis.primary.kill();
            redis.replica.kill();
            redis.replica.restart();
            // The next command connects to the restarted server.
            redis.onReplica.close();
            redis.onReplica.command("REPLICAOF", "NO", "ONE");
            try (RedisQueueEngine after = Engines.queues(redis.replica.url())) {
                assertThat(queue(after, Durability.none()).claim(10, LEASE)).hasSize(1);
            }
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void replicas_without_an_append_only_file_confirm_nothing() {
        try (ReplicatedRedis redis = new ReplicatedRedis(WITH_FILE);
                RedisQueueEngine engine = Engines.queues(redis.primary.url())) {
            redis.onReplica.command("CONFIG", "SET", "appendonly", "no");
            JobQueue<String> queue = queue(engine, Durability.appendOnlyFile(false, 1, Duration.ofMillis(50)));
            assertThat(failureOf(() -> queue.enqueue("a")).problem())
                    .isEqualTo("in the queue, but only 0 of 1 replicas have it in their append-only files after 50 ms");
            // A suspended replica does not either, although the server's own file has the job within this timeout.
            redis.replica.pause();
            JobQueue<String> both = queue(engine, Durability.appendOnlyFile(true, 1, Duration.ofSeconds(3)));
            assertThat(failureOf(() -> both.enqueue("b")).problem())
                    .isEqualTo(
                            "in the queue, but only 0 of 1 replicas have it in their append-only files after 3000 ms");
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void a_durable_queue_is_rejected_on_a_replica() {
        try (ReplicatedRedis redis = new ReplicatedRedis(WITH_FILE);
                RedisQueueEngine engine = Engines.queues(redis.replica.url())) {
            assertThatThrownBy(() -> queue(engine, LOCAL))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("WAITAOF cannot be used with replica instances");
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void a_job_is_unconfirmed_when_the_file_is_never_synced_and_the_error_names_the_cause() {
        try (RedisServer redis = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "no");
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            JobQueue<String> queue = queue(engine, Durability.appendOnlyFile(true, 0, Duration.ofMillis(50)));
            assertThat(failureOf(() -> queue.enqueue("a")).problem())
                    .isEqualTo("in the queue, but the server's append-only file does not have it after 50 ms;"
                            + " with 'appendfsync no', the server never confirms a write");
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void jobs_confirmed_during_a_rewrite_of_the_file_survive_a_kill_of_redis() {
        try (RedisServer redis = RedisServer.startOwn(WITH_FILE);
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisQueueEngine engine = Engines.queues(redis.url())) {
            JobQueue<String> queue = queue(engine, LOCAL);
            queue.enqueue("before");
            // Makes the rewrite take a second per key.
            probe.command("CONFIG", "SET", "rdb-key-save-delay", "1000000");
            probe.command("BGREWRITEAOF");
            queue.enqueue("meanwhile");
            assertThat(probe.info("persistence")).containsEntry("aof_rewrite_in_progress", "1");
            redis.kill();
            redis.restart();
            try (RedisQueueEngine after = Engines.queues(redis.url())) {
                assertThat(queue(after, Durability.none()).claim(10, LEASE)).hasSize(2);
            }
        }
    }

    @Test
    @Requires(Requirement.WAITAOF)
    void each_master_of_a_cluster_confirms_its_writes_and_keeps_them_when_all_masters_are_killed() {
        try (RedisCluster cluster = RedisCluster.start("--appendonly", "yes", "--appendfsync", "always")) {
            List<RedisServer> masters = cluster.masters();
            try (RedisQueueEngine engine = Engines.queues(cluster.url())) {
                JobQueue<String> queue =
                        engine.queue(QueueSettings.of("orders").withShards(12).withDurability(LOCAL), Codec.text());
                for (int i = 0; i < JOBS; i++) {
                    queue.enqueue("job" + i);
                }
            }
            assertThat(masters)
                    .allSatisfy(master -> assertThat(waitAofCalls(master)).isPositive());
            List<RedisServer> nodes = cluster.nodes();
            nodes.forEach(RedisServer::kill);
            // The masters first: a replica that starts before its master might take over.
            masters.forEach(RedisServer::restart);
            nodes.stream().filter(node -> !node.isAlive()).forEach(RedisServer::restart);
            cluster.awaitOk(LONG);
            try (RedisQueueEngine after = Engines.queues(cluster.url())) {
                assertThat(queue(after, Durability.none()).counts().ready()).isEqualTo(JOBS);
            }
        }
    }

    private static long waitAofCalls(RedisServer redis) {
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            return probe.commandCalls().getOrDefault("WAITAOF", 0L);
        }
    }
}
