package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@ServerVersionSensitive
class RedisClusterIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void await_a_healthy_cluster() {
        cluster.awaitOk(LONG);
    }

    @Test
    void a_cluster_has_three_masters_with_a_replica_each_and_all_slots() {
        assertThat(cluster.nodes()).hasSize(6);
        assertThat(cluster.masters()).hasSize(3).allSatisfy(master -> assertThat(cluster.replicasOf(master))
                .hasSize(1));
        assertThat(cluster.url())
                .startsWith("redis-cluster://127.0.0.1:")
                .contains("," + "127.0.0.1:" + cluster.nodes().get(5).port());
        assertThat(on(cluster.masters().get(0), "CLUSTER", "INFO"))
                .contains("cluster_state:ok")
                .contains("cluster_slots_assigned:16384");
    }

    @Test
    void slots_are_computed_as_by_redis_and_their_masters_accept_keys() {
        assertThat(cluster.slotOf("123456789")).isEqualTo(12_739);
        assertThat(cluster.slotOf("a{bob}")).isEqualTo(cluster.slotOf("{bob}b"));
        assertThat(on(cluster.masterOf("alice"), "SET", "alice", "1")).isEqualTo("OK");
        RedisServer other = cluster.masters().stream()
                .filter(master -> !master.equals(cluster.masterOf("alice")))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> on(other, "GET", "alice"))
                .hasMessage("MOVED " + cluster.slotOf("alice") + " 127.0.0.1:"
                        + cluster.masterOf("alice").port());
    }

    @Test
    void a_killed_master_is_replaced_by_its_replica_and_restarts_as_a_replica() {
        RedisServer master = cluster.masterOf("alice");
        on(master, "SET", "alice", "before");
        RedisServer replica = cluster.replicasOf(master).get(0);
        awaitCopy(replica, "alice", "before");

        master.kill();
        cluster.awaitOk(LONG);

        assertThat(cluster.masterOf("alice")).isEqualTo(replica);
        assertThat(on(replica, "GET", "alice")).isEqualTo("before");

        master.restart();
        cluster.awaitOk(LONG);

        assertThat(cluster.masterOf("alice")).isEqualTo(replica);
        assertThat(cluster.replicasOf(replica)).containsExactly(master);
    }

    @Test
    void a_paused_master_is_replaced_too() {
        RedisServer master = cluster.masterOf("alice");
        master.pause();
        Await.until("its replica to take over", LONG, () -> !cluster.masterOf("alice")
                .equals(master));
        master.resume();
        cluster.awaitOk(LONG);
        assertThat(cluster.masterOf("alice")).isNotEqualTo(master);
    }

    @Test
    void a_coordinated_failover_keeps_the_data_and_a_forced_failover_works_too() {
        RedisServer first = cluster.masterOf("bob");
        on(first, "SET", "bob", "kept");
        RedisServer second = cluster.failOver(cluster.slotOf("bob"));
        assertThat(second).isNotEqualTo(first);
        assertThat(on(second, "GET", "bob")).isEqualTo("kept");
        assertThat(cluster.failOverByForce(cluster.slotOf("bob"))).isEqualTo(first);
    }

    @Test
    void during_a_slot_move_a_moved_key_is_redirected_by_ask_and_several_keys_receive_tryagain() {
        RedisServer from = cluster.masterOf("{carol}");
        RedisServer to = otherThan(from);
        for (int i = 0; i < 10; i++) {
            on(from, "SET", "{carol}" + i, "" + i);
        }
        int slot = cluster.slotOf("{carol}");

        SlotMove move = cluster.beginMove(slot, to);
        assertThat(move.moveKeys(4)).isEqualTo(4);

        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(replyOrError(from, "GET", "{carol}" + i));
        }
        assertThat(answers)
                .filteredOn(answer -> answer.equals("ASK " + slot + " 127.0.0.1:" + to.port()))
                .hasSize(4);
        String moved = "{carol}" + answers.indexOf("ASK " + slot + " 127.0.0.1:" + to.port());
        String unmoved = "{carol}"
                + answers.indexOf(answers.stream()
                        .filter(answer -> !answer.startsWith("ASK"))
                        .findFirst()
                        .orElseThrow());
        String several = replyOrError(from, "MGET", moved, unmoved);
        // Redis 6.2 redirects the client to the target, which replies TRYAGAIN; Redis 7 replies TRYAGAIN immediately.
        assertThat(several.startsWith("ASK ") ? replyAfterAsking(to, "MGET", moved, unmoved) : several)
                .startsWith("TRYAGAIN");

        move.finish();
        cluster.awaitOk(LONG);
        assertThat(cluster.masterOf("{carol}")).isEqualTo(to);
        for (int i = 0; i < 10; i++) {
            assertThat(on(to, "GET", "{carol}" + i)).isEqualTo("" + i);
        }
        cluster.moveSlot(slot, from);
        assertThat(on(from, "GET", "{carol}7")).isEqualTo("7");
    }

    @Test
    void a_move_of_a_slot_to_its_own_master_is_rejected() {
        assertThatThrownBy(() -> cluster.moveSlot(cluster.slotOf("dave"), cluster.masterOf("dave")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is there already");
    }

    @Test
    void a_cluster_of_the_embedded_redis_works_too() {
        String before = System.getProperty(RedisBinary.SOURCE, "");
        System.setProperty(RedisBinary.SOURCE, "jar");
        try (RedisCluster embedded = RedisCluster.start("--cluster-require-full-coverage", "no")) {
            assertThat(embedded.nodes())
                    .allSatisfy(node -> assertThat(node.description()).startsWith("Redis 6.2."));
            int slot = embedded.slotOf("alice");
            on(embedded.masterOf(slot), "SET", "alice", "1");
            embedded.moveSlot(slot, otherThan(embedded, embedded.masterOf(slot)));
            RedisServer master = embedded.masterOf(slot);
            awaitCopy(embedded.replicasOf(master).get(0), "alice", "1");
            master.kill();
            embedded.awaitOk(LONG);
            assertThat(on(embedded.masterOf(slot), "GET", "alice")).isEqualTo("1");
        } finally {
            System.setProperty(RedisBinary.SOURCE, before);
        }
    }

    @Test
    void a_jvm_that_ends_without_closing_leaves_nothing_behind() throws Exception {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("cluster")) {
            String url = child.awaitLine(line -> line.startsWith("redis-cluster://"), LONG);
            List<Path> folders = new ArrayList<>();
            List<Long> processes = new ArrayList<>();
            for (String address : url.replace("redis-cluster://", "").split(",")) {
                try (RedisProbe probe = RedisProbe.of("redis://" + address)) {
                    folders.add(Path.of(
                            probe.command("CONFIG", "GET", "dir") instanceof List<?> pair
                                    ? String.valueOf(pair.get(1))
                                    : fail("CONFIG GET replied no list")));
                    processes.add(
                            Long.valueOf(String.valueOf(probe.info("server").get("process_id"))));
                }
            }
            assertThat(folders).hasSize(6).allMatch(Files::exists);
            child.send("exit 0");
            assertThat(child.awaitExit(LONG)).isZero();
            assertThat(folders).noneMatch(Files::exists);
            assertThat(processes).allMatch(id -> ProcessHandle.of(id).isEmpty());
        }
    }

    private static RedisServer otherThan(RedisServer master) {
        return otherThan(cluster, master);
    }

    private static RedisServer otherThan(RedisCluster of, RedisServer master) {
        return of.masters().stream()
                .filter(one -> !one.equals(master))
                .findFirst()
                .orElseThrow();
    }

    private static String on(RedisServer server, String... command) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            return String.valueOf(probe.command(command));
        }
    }

    /** WAIT does not suffice: a replica may confirm a write while it still loads the initial snapshot. */
    private static void awaitCopy(RedisServer replica, String key, String value) {
        Await.until("the replica to have " + key, LONG, () -> {
            try (RedisProbe probe = RedisProbe.of(replica.url())) {
                probe.command("READONLY");
                return value.equals(probe.command("GET", key));
            } catch (RedisProbe.ErrorReply e) {
                return false; // it loads the snapshot
            }
        });
    }

    /** Sends a command, and returns the reply or the message of the error. */
    private static String replyOrError(RedisServer server, String... command) {
        try {
            return on(server, command);
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Sends a command after ASKING, as a client does that was redirected by ASK. */
    private static String replyAfterAsking(RedisServer server, String... command) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            probe.command("ASKING");
            return String.valueOf(probe.command(command));
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage());
        }
    }
}
