package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.testkit.hostile.Attack;
import io.headgate.testkit.hostile.HostileClients;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server exits when its memory is exhausted. */
@Timeout(180)
class OutOfMemoryIT {

    private static final int STATUS = 3;

    /**
     * Java code throws the error of exhausted direct memory, so -XX:+ExitOnOutOfMemoryError does not cover it. The process starts without that
     * option, so only the server's own check can end it.
     */
    @Test
    void a_server_whose_direct_memory_is_exhausted_exits_with_3(@TempDir Path folder) throws Exception {
        Path policies = folder.resolve("api.yaml");
        Files.writeString(
                policies, "policies: {api: {rules: {per-user: {by: user, fixed-window: {permits: 9, window: 1h}}}}}");
        try (ServerProcess server = ServerProcess.start(
                List.of("-Xmx256m", "-XX:MaxDirectMemorySize=4m"),
                Map.of(),
                "serve",
                "--policies",
                policies.toString(),
                "--port",
                "0")) {
            int port = Integer.parseInt(server.awaitLine("listening on http://127\\.0\\.0\\.1:(\\d+)"));
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);

            try (HostileClients hostile = HostileClients.start(address, Attack.UNACKNOWLEDGED_SETTINGS)) {
                assertThat(server.awaitExit())
                        .as("after " + hostile.bytes() + " bytes")
                        .isEqualTo(STATUS);
            }

            assertThat(server.output())
                    .anyMatch(line -> line.startsWith("headgate: exits, because its memory is exhausted"));
        }
    }
}
