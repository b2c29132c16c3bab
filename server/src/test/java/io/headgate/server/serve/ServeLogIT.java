package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unusual lines in the log of {@code headgate serve}. */
class ServeLogIT {

    @Test
    void a_server_on_every_address_logs_a_warning_and_a_usable_address_of_its_page() throws Exception {
        try (ServerProcess server = ServerProcess.start(
                "serve", "--policies", "../examples/policies.yaml", "--port", "0", "--bind", "0.0.0.0")) {
            server.awaitLine(
                    "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) INFO  headgate ");
            server.awaitLine("WARN  every client that reaches this address can consume permits");
            String listens = server.awaitLine("listening on (.*)");

            assertThat(listens)
                    .matches("0\\.0\\.0\\.0:(\\d+), every address of this machine"
                            + " \\(status page at http://127\\.0\\.0\\.1:\\1\\)");
        }
    }

    @Test
    void an_ordinary_start_logs_no_warning() throws Exception {
        try (ServerProcess server =
                ServerProcess.start("serve", "--policies", "../examples/policies.yaml", "--port", "0")) {
            server.awaitLine("try: curl");

            assertThat(server.output()).noneMatch(line -> line.contains(" WARN "));
        }
    }

    @Test
    void a_shaper_with_a_longer_queue_than_the_maximum_delay_is_logged_at_the_start(@TempDir Path folder)
            throws Exception {
        Path policies = folder.resolve("policies.yaml");
        Files.writeString(
                policies,
                "policies: { api: { rules: { slow: {"
                        + " leaky-bucket: { capacity: 3, leak: 1 per 1s, mode: shaper } } } } }");
        try (ServerProcess server = ServerProcess.start("serve", "--policies", policies.toString(), "--port", "0")) {
            server.awaitLine(
                    "WARN  policy api: slow: a request may have to wait for 2 s; a response to a proxy is delayed"
                            + " for 1 s by default; let the proxy send hold=2000ms");
        }
    }
}
