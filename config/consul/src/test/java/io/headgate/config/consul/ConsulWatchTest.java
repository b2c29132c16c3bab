package io.headgate.config.consul;

import static io.headgate.config.consul.PolicyTexts.apply;
import static io.headgate.config.consul.PolicyTexts.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.stores.VersionStore;
import io.headgate.testkit.Await;
import io.headgate.testkit.consul.ConsulStandIn;
import io.headgate.testkit.faults.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How changes, outages and their ends are noticed. */
@Timeout(120)
class ConsulWatchTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String NO_REPLY = "no reply";

    /** So that only the end of a wait notices changes, and never its timeout. */
    private static final Duration LONG_WAIT = Duration.ofHours(1);

    private final ConsulStandIn consul = ConsulStandIn.start();
    private final ConsulPolicyStore writer = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()));
    private final List<String> notified = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        writer.close();
        consul.close();
    }

    private static ConsulPolicyStore connect(String url, Duration wait) {
        return ConsulPolicyStore.connect(ConsulSettings.of(url), wait, VersionStore.MAX_BYTES_OF_ALL);
    }

    private static String currentOf(ConsulPolicyStore store) {
        try {
            return store.read().version();
        } catch (ConfigException e) {
            return NO_REPLY;
        }
    }

    /** Reads again after a late reply, since no further notification follows soon after a long wait. */
    private static String currentWithoutTimeout(ConsulPolicyStore store) {
        List<String> found = new ArrayList<>();
        Await.until("a reply", LONG, () -> {
            try {
                found.add(store.read().version());
            } catch (ConfigException e) {
                if (!String.valueOf(e.getMessage()).contains("did not reply within")) {
                    found.add(NO_REPLY);
                }
            }
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private void watch(ConsulPolicyStore store) {
        store.watch(() -> notified.add(currentOf(store)));
    }

    private void watchWithLongWait(ConsulPolicyStore store) {
        store.watch(() -> notified.add(currentWithoutTimeout(store)));
    }

    private void await(String version) {
        Await.until("notification of " + version, LONG, () -> notified.contains(version));
    }

    private void awaitSince(int before, String version) {
        Await.until("notification of " + version, LONG, () -> notified.subList(before, notified.size())
                .contains(version));
    }

    @Test
    void each_change_ends_the_wait_of_a_blocking_query() {
        try (ConsulPolicyStore watched = connect(consul.url(), LONG_WAIT)) {
            watchWithLongWait(watched);
            await(NO_REPLY);
            for (int permits = 1; permits <= 5; permits++) {
                await(apply(writer, text(permits)));
            }
            assertThatThrownBy(() -> watched.watch(() -> {})).hasMessage("the store is watched already");
        }
    }

    @Test
    void a_change_between_a_read_and_the_next_query_is_notified() {
        apply(writer, text(1));
        AtomicInteger calls = new AtomicInteger();
        try (ConsulPolicyStore watched = connect(consul.url(), LONG_WAIT)) {
            watched.watch(() -> {
                notified.add(currentWithoutTimeout(watched));
                if (calls.incrementAndGet() == 1) {
                    apply(writer, text(2));
                }
            });
            Await.until("version 2", LONG, () -> writer.find("2").isPresent());
            await(writer.find("2").orElseThrow().version());
        }
    }

    @Test
    void the_deletion_of_the_current_version_is_notified() {
        try (ConsulPolicyStore watched = connect(consul.url(), LONG_WAIT)) {
            String first = apply(writer, text(1));
            watchWithLongWait(watched);
            await(first);
            new ConsulProbe(consul).delete("hg/config/policies/current");
            await(NO_REPLY);
            await(apply(writer, text(2)));
        }
    }

    @Test
    void indexes_that_go_backwards_after_a_restored_snapshot_do_not_hide_later_changes() {
        String first = apply(writer, text(1));
        ConsulStandIn.Snapshot snapshot = consul.snapshot();
        apply(writer, text(2));
        String third = apply(writer, text(3));
        try (ConsulPolicyStore watched = connect(consul.url(), LONG_WAIT)) {
            watchWithLongWait(watched);
            await(third);
            // A query that begins after the restore, with a later index, would end only with its wait.
            Await.until("a query that waits", LONG, () -> consul.queriesWaiting() == 1);
            int before = notified.size();
            consul.restore(snapshot);
            awaitSince(before, first);
            // Its index is lower than that of the third version before.
            await(apply(writer, text(4)));
        }
    }

    @Test
    void replies_without_an_index_do_not_hide_changes() {
        apply(writer, text(1));
        try (ConsulPolicyStore watched = connect(consul.url(), ConsulWatch.WAIT)) {
            consul.loseIndexes(4);
            watch(watched);
            await(apply(writer, text(2)));
            consul.loseIndexes(Integer.MAX_VALUE);
            await(apply(writer, text(3)));
            await(apply(writer, text(4)));
        }
    }

    @Test
    void an_outage_and_its_end_are_notified_and_so_are_later_changes() {
        try (ConsulPolicyStore watched = connect(consul.url(), ConsulWatch.WAIT)) {
            String first = apply(writer, text(1));
            watch(watched);
            await(first);
            consul.stop();
            await(NO_REPLY);
            int before = notified.size();
            consul.restart();
            awaitSince(before, first);
            await(apply(writer, text(2)));
        }
    }

    @Test
    void a_connection_that_carries_nothing_is_noticed_and_replaced() {
        try (TcpProxy proxy = TcpProxy.before(consul.port());
                ConsulPolicyStore behind = connect("http://127.0.0.1:" + proxy.port(), ConsulWatch.WAIT)) {
            String first = apply(writer, text(1));
            watch(behind);
            await(first);
            proxy.blackHole();
            await(NO_REPLY);
            String second = apply(writer, text(2));
            proxy.resume();
            await(second);
            await(apply(writer, text(3)));
        }
    }

    @Test
    void a_query_that_receives_nothing_and_the_read_after_it_take_less_than_ten_seconds() {
        Duration jitter = ConsulWatch.WAIT.dividedBy(16);
        assertThat(ConsulWatch.WAIT.plus(jitter).plus(ConsulLink.READ_TIMEOUT.multipliedBy(2)))
                .isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void closing_ends_a_query_that_waits() {
        String first = apply(writer, text(1));
        ConsulPolicyStore watched = connect(consul.url(), LONG_WAIT);
        watchWithLongWait(watched);
        await(first);
        Await.until("a query that waits", LONG, () -> consul.queriesWaiting() == 1);
        watched.close();
        Await.until("the end of its thread", LONG, () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("headgate-config-consul")));
    }

    @Test
    void failures_name_the_call_and_the_problem() {
        try (TcpProxy proxy = TcpProxy.before(consul.port());
                ConsulPolicyStore behind = connect("http://127.0.0.1:" + proxy.port(), ConsulWatch.WAIT)) {
            apply(behind, text(1));
            proxy.blackHole();
            assertThatThrownBy(behind::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageEndingWith("read hg/config/policies/current: Consul did not reply within 3 s");
        }
        consul.stop();
        assertThatThrownBy(writer::read)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Consul cannot be reached: Connection refused");
    }
}
