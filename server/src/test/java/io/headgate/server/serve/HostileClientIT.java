package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.hostile.Attack;
import io.headgate.testkit.hostile.HostileClients;
import io.headgate.testkit.hostile.ProcessMemory;
import io.headgate.testkit.hostile.SecondClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Attacks on the memory of server processes with a heap of 256 MB. After a few seconds, the memory that an attack takes grows no
 * further. A second client loses no request.
 */
class HostileClientIT {

    private static final Duration EARLY = Duration.ofSeconds(4);
    private static final Duration LATE = Duration.ofSeconds(7);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /**
     * The variation between two measurements, because requests are in progress and connections come and go. Without the bounds, the
     * attacks take about ten megabytes per second.
     */
    private static final long NOISE_BYTES = 24 << 20;

    private static final int MAX_LINES_PER_ATTACK = 20;

    /** Attacks whose connections the server closes, each with a line in the log. */
    private static final Set<Attack> MALFORMED = Set.of(Attack.RAPID_RESET, Attack.CONTINUATION_FLOOD);

    /** The names of the attacks that keep the server busy, as a regular expression. */
    private static final String BUSY =
            "PIPELINED_CHECKS|UNACKNOWLEDGED_SETTINGS|RAPID_RESET|CONTINUATION_FLOOD|HPACK_BOMB|SMALL_DATA_FRAMES";

    @Nested
    class BusyAttacks extends Attacks {

        @ParameterizedTest
        @Execution(ExecutionMode.SAME_THREAD)
        @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = BUSY)
        void take_bounded_memory_and_cost_a_second_client_no_request(Attack attack) throws IOException {
            attack(attack);
        }
    }

    /** All other attacks. They soon wait: they pause, or the server does not read from their connections any more. */
    @Nested
    class WaitingAttacks extends Attacks {

        @ParameterizedTest
        @Execution(ExecutionMode.SAME_THREAD)
        @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = BUSY)
        void take_bounded_memory_and_cost_a_second_client_no_request(Attack attack) throws IOException {
            attack(attack);
        }
    }

    /** Attacks on a server of their own, one at a time. They run in parallel with those of the other class. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    abstract static class Attacks {

        private ServerProcess server;
        private InetSocketAddress address;

        @BeforeAll
        void start(@TempDir Path folder) throws Exception {
            Path policies = folder.resolve("api.yaml");
            Files.writeString(
                    policies,
                    "policies: {api: {rules: {per-user: {by: user, fixed-window: {permits: 1000000000, window: 1h}}}}}");
            server = ServerProcess.start(
                    List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:MaxDirectMemorySize=128m"),
                    Map.of(),
                    "serve",
                    "--policies",
                    policies.toString(),
                    "--port",
                    "0");
            int port = Integer.parseInt(server.awaitLine("listening on http://127\\.0\\.0\\.1:(\\d+)"));
            server.awaitLine("try: ");
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        }

        @AfterAll
        void stop() throws InterruptedException {
            if (server != null) {
                server.terminate(); // a killed JVM would leave the file that attaching to it has created
                server.awaitExit();
                server.close();
            }
        }

        void attack(Attack attack) throws IOException {
            int linesBefore = server.output().size();
            try (SecondClient second = SecondClient.start(address)) {
                ProcessMemory early;
                ProcessMemory late;
                try (HostileClients hostile = HostileClients.start(address, attack)) {
                    Await.until("all of them to connect", TIMEOUT, () -> hostile.connections() >= attack.clients());
                    letAttackRun(EARLY);
                    early = ProcessMemory.of(server.pid());
                    letAttackRun(LATE);
                    late = ProcessMemory.of(server.pid());
                }
                long answered = second.answered();
                Await.until(
                        "the second client to continue after the attack",
                        TIMEOUT,
                        () -> second.answered() > answered + 10
                                || !second.lost().isEmpty());

                assertThat(second.lost()).isEmpty();
                assertBounded(early.heapBytes(), late.heapBytes(), "heap after a collection");
                assertBounded(early.directBytes(), late.directBytes(), "direct memory");
                assertBounded(early.residentBytes(), late.residentBytes(), "resident memory");
            }
            if (!MALFORMED.contains(attack)) {
                assertThat(server.output().size() - linesBefore)
                        .as("lines in the log")
                        .isLessThan(MAX_LINES_PER_ATTACK);
            }
        }
    }

    private static void assertBounded(long early, long late, String what) {
        assertThat(late).as(what).isLessThan(early + Math.max(early / 5, NOISE_BYTES));
    }

    /** Waits while the attack runs. No event shows that it has run for long enough. */
    private static void letAttackRun(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        Await.until("the time of the attack to end", time.plus(TIMEOUT), () -> System.nanoTime() > end);
    }
}
