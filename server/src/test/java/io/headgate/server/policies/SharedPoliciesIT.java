package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.redis.RedisSettings;
import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Five servers and two applications, each a process of its own, apply each change of the policies in Redis. */
@Timeout(180)
class SharedPoliciesIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SERVERS = 5;
    private static final int CHANGES = 10;

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisPolicyStore store = RedisPolicyStore.connect(RedisSettings.of(redis.url()));
    private final List<ServerProcess> servers = new ArrayList<>();
    private final List<ChildJvm> applications = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(ServerProcess::close);
        applications.forEach(ChildJvm::close);
        store.close();
        redis.close();
    }

    private String apply(long permits) {
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

    private void awaitAll(String version) {
        Await.until(
                "all instances run " + version,
                LONG,
                () -> store.instances().stream()
                                .filter(instance -> instance.version().equals(version))
                                .count()
                        == SERVERS + applications.size());
    }

    @Test
    void all_apply_each_change_and_report_it_and_a_killed_one_disappears() throws Exception {
        String first = apply(100);
        for (int i = 0; i < SERVERS; i++) {
            servers.add(ServerProcess.start("serve", "--port", "0", "--policies", "redis", "--redis", redis.url()));
        }
        for (int i = 0; i < 2; i++) {
            applications.add(ChildJvm.of(PolicyProcess.class).shortLived().start(redis.url()));
        }
        awaitAll(first);
        List<Long> millis = new ArrayList<>();
        for (int i = 1; i <= CHANGES; i++) {
            String next = apply(100 + i);
            Instants applied = new Instants(store.history(1).get(0));
            awaitAll(next);
            store.instances().forEach(instance -> millis.add(applied.millisUntil(instance)));
        }
        millis.sort(null);
        System.out.printf(
                "%d processes applied %d changes: median %d ms, maximum %d ms after the write%n",
                SERVERS + applications.size(), CHANGES, millis.get(millis.size() / 2), millis.get(millis.size() - 1));
        CliRun status = CliRun.of("policy", "status", "--redis", redis.url());
        assertThat(status.exitCode()).isZero();
        assertThat(status.out().lines().filter(line -> line.endsWith("  current")))
                .hasSize(7);

        applications.get(0).pause();
        String last = apply(1);
        Await.until(
                "one instance is behind",
                LONG,
                () -> store.instances().stream()
                                .filter(instance -> !instance.version().equals(last))
                                .count()
                        == 1);
        CliRun behind = CliRun.of("policy", "status", "--redis", redis.url());
        assertThat(behind.exitCode()).isEqualTo(1);
        assertThat(behind.out().lines().filter(line -> line.endsWith("  another version")))
                .hasSize(1);
        applications.remove(0).kill();
        awaitAll(last);
        Await.until(
                "the report of the killed process expires",
                LONG,
                () -> store.instances().size() == 6);
    }

    /** When a version was written and applied, by the clock of this machine. */
    private record Instants(PolicyVersion written) {

        long millisUntil(PolicyInstance instance) {
            return Duration.between(written.writtenAt(), instance.since()).toMillis();
        }
    }
}
