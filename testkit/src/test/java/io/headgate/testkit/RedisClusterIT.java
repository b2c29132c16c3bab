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
    void is_whole() {
        cluster.awaitOk(LONG);
    }

    @Test
    void it_has_three_masters_with_a_replica_each_and_all_slots() {
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
    void slots_are_those_of_redis_and_their_masters_take_keys() {
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
    void a_killed_master_is_replaced_by_its_replica_and_comes_back_as_one() {
        RedisServer master = cluster.masterOf("alice");
        on(master, "SET", "alice", "before");
        on(master, "WAIT", "1", "10000");
        RedisServer replica = cluster.replicasOf(master).get(0);

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
    void failing_over_in_good_order_and_by_force() {
        RedisServer first = cluster.masterOf("bob");
        on(first, "SET", "bob", "kept");
        RedisServer second = cluster.failOver(cluster.slotOf("bob"));
        assertThat(second).isNotEqualTo(first);
        assertThat(on(second, "GET", "bob")).isEqualTo("kept");
        assertThat(cluster.failOverByForce(cluster.slotOf("bob"))).isEqualTo(first);
    }

    @Test
    void while_a_slot_moves_its_keys_are_asked_for_elsewhere_and_several_are_tried_again() {
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
            answers.add(answerOf(from, "GET", "{carol}" + i));
        }
        assertThat(answers)
                .filteredOn(answer -> answer.equals("ASK " + slot + " 127.0.0.1:" + to.port()))
                .hasSize(4);
        String moved = "{carol}" + answers.indexOf("ASK " + slot + " 127.0.0.1:" + to.port());
        String there = "{carol}"
                + answers.indexOf(answers.stream()
                        .filter(answer -> !answer.startsWith("ASK"))
                        .findFirst()
                        .orElseThrow());
        String several = answerOf(from, "MGET", moved, there);
        // Redis 6.2 sends the client to the target, which refuses; Redis 7 refuses at once.
        assertThat(several.startsWith("ASK ") ? answerWhileAsking(to, "MGET", moved, there) : several)
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
    void a_slot_is_not_moved_to_where_it_is() {
        assertThatThrownBy(() -> cluster.moveSlot(cluster.slotOf("dave"), cluster.masterOf("dave")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is there already");
    }

    @Test
    void it_is_made_of_the_embedded_redis_too() {
        String before = System.getProperty(RedisBinary.SOURCE, "");
        System.setProperty(RedisBinary.SOURCE, "jar");
        try (RedisCluster embedded = RedisCluster.start("--cluster-require-full-coverage", "no")) {
            assertThat(embedded.nodes())
                    .allSatisfy(node -> assertThat(node.description()).startsWith("Redis 6.2."));
            int slot = embedded.slotOf("alice");
            on(embedded.masterOf(slot), "SET", "alice", "1");
            embedded.moveSlot(slot, otherThan(embedded, embedded.masterOf(slot)));
            RedisServer master = embedded.masterOf(slot);
            assertThat(on(master, "WAIT", "1", "10000")).isEqualTo("1");
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

    /** Its reply, or its error. */
    private static String answerOf(RedisServer server, String... command) {
        try {
            return on(server, command);
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** As a client does that was sent here by ASK. */
    private static String answerWhileAsking(RedisServer server, String... command) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            probe.command("ASKING");
            return String.valueOf(probe.command(command));
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage());
        }
    }
}
