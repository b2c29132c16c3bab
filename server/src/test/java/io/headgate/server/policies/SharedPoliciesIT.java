package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.Fallback;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.EtcdServer;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Five servers and two applications, each a process of its own, apply each change of the policies in Redis or etcd, and each ban. */
@Timeout(600)
class SharedPoliciesIT {

    /** On a busy machine, seven JVMs take more than a minute to start. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final int SERVERS = 5;
    private static final int APPLICATIONS = 2;
    private static final int CHANGES = 10;

    /** More than the checks of a user until all servers apply a ban, which are charged. */
    private static final int PERMITS = 900_000;

    /** How often one process may be paused for longer than its report lasts, on a busy machine. */
    private static final int PAUSES = 5;

    private final List<ServerProcess> servers = new ArrayList<>();
    private final List<ChildJvm> applications = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(ServerProcess::close);
        applications.forEach(ChildJvm::close);
    }

    private static String apply(PolicyStore store, long permits) {
        PolicyDocument.Text text = new PolicyDocument.Text("api.yaml", """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits));
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        return store.apply(new PolicyUpdate(List.of(text), current, "test", permits + " permits"))
                .current()
                .orElseThrow()
                .version();
    }

    private void awaitAll(PolicyStore store, String version) {
        Await.until(
                "all instances run " + version,
                LONG,
                () -> store.instances().stream()
                                .filter(instance -> instance.version().equals(version))
                                .count()
                        == SERVERS + applications.size());
    }

    @Test
    void all_apply_each_change_in_redis_and_report_it_and_a_killed_one_disappears() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                PolicyStore store = PolicyProcess.store(redis.url())) {
            requireAllApplyEachChange(store, "redis", redis.url());
        }
    }

    @Test
    @Requires(Requirement.ETCD)
    void all_apply_each_change_in_etcd_and_report_it_and_a_killed_one_disappears() throws Exception {
        try (EtcdServer etcd = EtcdServer.start();
                PolicyStore store = PolicyProcess.store(etcd.url())) {
            requireAllApplyEachChange(store, "etcd", etcd.url());
        }
    }

    /**
     * Checks all processes.
     *
     * @param kind the argument of --policies, and the name of the option of its URL
     */
    private void requireAllApplyEachChange(PolicyStore store, String kind, String url) throws Exception {
        String first = apply(store, PERMITS);
        for (int i = 0; i < SERVERS; i++) {
            servers.add(ServerProcess.start("serve", "--port", "0", "--policies", kind, "--" + kind, url));
        }
        for (int i = 0; i < APPLICATIONS; i++) {
            applications.add(ChildJvm.of(PolicyProcess.class).shortLived().start(url));
        }
        awaitAll(store, first);
        List<Long> millis = new ArrayList<>();
        for (int i = 1; i <= CHANGES; i++) {
            String next = apply(store, PERMITS + i);
            Instants applied = new Instants(store.history(1).get(0));
            assertThat(CliRun.of("policy", "status", "--wait=2m", "--" + kind, url)
                            .exitCode())
                    .isZero();
            awaitAll(store, next);
            store.instances().forEach(instance -> millis.add(applied.millisUntil(instance)));
        }
        millis.sort(null);
        System.out.printf(
                "%d processes applied %d changes in %s: median %d ms, maximum %d ms after the write%n",
                SERVERS + applications.size(),
                CHANGES,
                kind,
                millis.get(millis.size() / 2),
                millis.get(millis.size() - 1));
        CliRun status = CliRun.of("policy", "status", "--" + kind, url);
        assertThat(status.exitCode()).isZero();
        assertThat(status.out().lines().filter(line -> line.endsWith("  current")))
                .hasSize(SERVERS + APPLICATIONS);
        if (kind.equals("redis")) {
            awaitBansOnAllServers(url);
        }
        requireOneBehind(store, kind, url);
    }

    private void requireOneBehind(PolicyStore store, String kind, String url) {
        String last = "";
        boolean reported = false;
        for (int i = 1; i <= PAUSES && !reported; i++) {
            applications.get(0).pause();
            last = apply(store, i);
            reported = isReportedAsBehind(store, last, kind, url);
            if (!reported) {
                applications.get(0).resume();
                awaitAll(store, last);
            }
        }
        assertThat(reported).as("the report of the paused process lasts").isTrue();
        applications.remove(0).kill();
        awaitAll(store, last);
        Await.until(
                "the report of the killed process expires",
                LONG,
                () -> store.instances().size() == SERVERS + APPLICATIONS - 1);
    }

    /**
     * Checks the reports on one paused process. Its report lasts for 20 seconds.
     *
     * @return false if a report did not last until the end, so that nothing was checked
     */
    private static boolean isReportedAsBehind(PolicyStore store, String last, String kind, String url) {
        Await.until(
                "all except one instance run " + last,
                LONG,
                () -> store.instances().stream()
                                .filter(instance -> instance.version().equals(last))
                                .count()
                        == SERVERS + APPLICATIONS - 1);
        CliRun behind = CliRun.of("policy", "status", "--" + kind, url);
        CliRun waited = CliRun.of("policy", "status", "--wait=1ms", "--" + kind, url);
        if (store.instances().size() < SERVERS + APPLICATIONS) {
            return false;
        }
        assertThat(behind.exitCode()).isEqualTo(1);
        assertThat(behind.out().lines().filter(line -> line.endsWith("  another version")))
                .hasSize(1);
        assertThat(waited.exitCode()).isEqualTo(1);
        assertThat(waited.out().lines())
                .last()
                .isEqualTo("waited 1 ms: 1 of 7 processes do not run the current version");
        return true;
    }

    private void awaitBansOnAllServers(String url) throws InterruptedException {
        List<String> addresses = new ArrayList<>();
        for (ServerProcess server : servers) {
            addresses.add(server.awaitLine("listening on (http://\\S+)"));
        }
        List<Long> millis = new ArrayList<>();
        try (RedisLimitEngine limits = RedisLimitEngine.builder(
                        RedisSettings.of(url).withTimeout(Duration.ofSeconds(30)))
                .fallback(Fallback.none())
                .build()) {
            for (int i = 0; i < CHANGES; i++) {
                // Another user each time, as the checks until then are charged.
                String user = "mallory-" + i;
                limits.bans().add(BanRequest.ban(BanTarget.user(user)).lasting(Duration.ofHours(1)));
                awaitStatus(addresses, user, 403, millis);
                limits.bans().lift(BanTarget.user(user));
                awaitStatus(addresses, user, 200, millis);
            }
        }
        millis.sort(null);
        System.out.printf(
                "%d servers applied %d bans and liftings: median %d ms, maximum %d ms after the call%n",
                SERVERS, CHANGES, millis.get(millis.size() / 2), millis.get(millis.size() - 1));
    }

    /** Awaits a status from each server, and adds the time until the last of them. */
    private static void awaitStatus(List<String> addresses, String user, int status, List<Long> millis) {
        long changedNanos = System.nanoTime();
        for (String address : addresses) {
            URI check = URI.create(address + "/check/api?user=" + user);
            Await.until(status + " from " + check, LONG, () -> status(check) == status);
        }
        millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - changedNanos));
    }

    private static int status(URI check) {
        return CLIENT.sendAsync(HttpRequest.newBuilder(check).build(), HttpResponse.BodyHandlers.discarding())
                .join()
                .statusCode();
    }

    /** When a version was written and applied, by the clock of this machine. */
    private record Instants(PolicyVersion written) {

        long millisUntil(PolicyInstance instance) {
            return Duration.between(written.writtenAt(), instance.since()).toMillis();
        }
    }
}
