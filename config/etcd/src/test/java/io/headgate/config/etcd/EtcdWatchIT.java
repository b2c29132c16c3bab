package io.headgate.config.etcd;

import static io.headgate.config.etcd.PolicyTexts.apply;
import static io.headgate.config.etcd.PolicyTexts.text;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.stores.VersionStore;
import io.headgate.testkit.Await;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
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
@Requires(Requirement.ETCD)
@Timeout(120)
class EtcdWatchIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String NO_REPLY = "no reply";

    /** So that only the watch notices changes. */
    private static final Duration NO_POLLS = Duration.ofHours(1);

    private final EtcdServer etcd = EtcdServer.start();
    private final EtcdPolicyStore writer = EtcdPolicyStore.connect(EtcdSettings.of(etcd.url()));
    private final List<String> notified = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        writer.close();
        etcd.close();
    }

    private static EtcdPolicyStore connect(String url, Duration poll) {
        return EtcdPolicyStore.connect(EtcdSettings.of(url), poll, VersionStore.MAX_BYTES_OF_ALL);
    }

    private static String currentOf(EtcdPolicyStore store) {
        try {
            return store.read().version();
        } catch (ConfigException e) {
            return NO_REPLY;
        }
    }

    /** Reads again after a late reply, since no further notification follows without polls. */
    private static String currentWithoutTimeout(EtcdPolicyStore store) {
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

    private void watch(EtcdPolicyStore store) {
        store.watch(() -> notified.add(currentOf(store)));
    }

    private void await(String version) {
        Await.until("notification of " + version, LONG, () -> notified.contains(version));
    }

    @Test
    void each_change_is_notified_by_the_watch() {
        try (EtcdPolicyStore watched = connect(etcd.url(), NO_POLLS)) {
            watched.watch(() -> notified.add(currentWithoutTimeout(watched)));
            await(NO_REPLY);
            for (int permits = 1; permits <= 5; permits++) {
                await(apply(writer, text(permits)));
            }
            assertThatThrownBy(() -> watched.watch(() -> {})).hasMessage("the store is watched already");
        }
    }

    @Test
    void a_change_between_a_read_and_the_start_of_the_watch_is_notified() {
        apply(writer, text(1));
        AtomicInteger calls = new AtomicInteger();
        try (EtcdPolicyStore watched = connect(etcd.url(), NO_POLLS)) {
            watched.watch(() -> {
                notified.add(currentWithoutTimeout(watched));
                if (calls.incrementAndGet() == 1) {
                    apply(writer, text(2));
                }
            });
            await(writerVersion(2));
        }
    }

    private String writerVersion(int number) {
        Await.until("version " + number, LONG, () -> writer.find("" + number).isPresent());
        return writer.find("" + number).orElseThrow().version();
    }

    @Test
    void after_the_end_of_a_watch_behind_a_compaction_the_key_is_read_and_watched_again() {
        apply(writer, text(1));
        AtomicInteger calls = new AtomicInteger();
        try (EtcdProbe probe = new EtcdProbe(etcd);
                EtcdPolicyStore watched = connect(etcd.url(), NO_POLLS)) {
            watched.watch(() -> {
                notified.add(currentWithoutTimeout(watched));
                if (calls.incrementAndGet() == 1) {
                    apply(writer, text(2));
                    apply(writer, text(3));
                    probe.compact();
                }
            });
            await(writerVersion(3));
            await(apply(writer, text(4)));
            await(apply(writer, text(5)));
        }
    }

    @Test
    void a_kill_and_the_restart_are_notified_and_so_are_later_changes() {
        try (EtcdPolicyStore watched = connect(etcd.url(), EtcdWatch.POLL)) {
            await(watched, apply(writer, text(1)));
            etcd.kill();
            await(NO_REPLY);
            int before = notified.size();
            etcd.restart();
            Await.until("a notification of its end", LONG, () -> notified.subList(before, notified.size()).stream()
                    .anyMatch(version -> version.startsWith("1-")));
            Await.until(
                    "the writer to connect again", LONG, () -> currentOf(writer).startsWith("1-"));
            await(apply(writer, text(2)));
        }
    }

    private void await(EtcdPolicyStore watched, String version) {
        watch(watched);
        await(version);
    }

    @Test
    void a_connection_that_carries_nothing_is_noticed_and_replaced() {
        try (TcpProxy proxy = TcpProxy.before(etcd.port());
                EtcdPolicyStore behind = connect("http://127.0.0.1:" + proxy.port(), EtcdWatch.POLL)) {
            await(behind, apply(writer, text(1)));
            proxy.blackHole();
            await(NO_REPLY);
            String second = apply(writer, text(2));
            proxy.resume();
            await(second);
            await(apply(writer, text(3)));
        }
    }

    @Test
    void a_paused_etcd_is_noticed() {
        try (EtcdPolicyStore watched = connect(etcd.url(), EtcdWatch.POLL)) {
            String first = apply(writer, text(1));
            await(watched, first);
            etcd.pause();
            await(NO_REPLY);
            int before = notified.size();
            etcd.resume();
            Await.until("replies", LONG, () -> notified.subList(before, notified.size())
                    .contains(first));
        }
    }

    @Test
    void another_member_is_used_while_one_carries_nothing() {
        try (TcpProxy proxy = TcpProxy.before(etcd.port());
                EtcdPolicyStore behind =
                        connect("http://127.0.0.1:" + proxy.port() + ",127.0.0.1:" + etcd.port(), EtcdWatch.POLL)) {
            await(behind, apply(writer, text(1)));
            proxy.blackHole();
            await(apply(writer, text(2)));
            await(apply(writer, text(3)));
        }
    }

    @Test
    void failures_name_the_call_and_the_problem() {
        try (TcpProxy proxy = TcpProxy.before(etcd.port());
                EtcdPolicyStore behind = connect("http://127.0.0.1:" + proxy.port(), EtcdWatch.POLL)) {
            apply(behind, text(1));
            proxy.blackHole();
            assertThatThrownBy(behind::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageEndingWith("read /hg/config/policies/current: etcd did not reply within 3 s");
        }
        etcd.kill();
        assertThatThrownBy(writer::read)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("etcd cannot be reached: Connection refused");
    }
}
