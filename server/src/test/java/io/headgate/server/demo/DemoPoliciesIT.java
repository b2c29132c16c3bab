package io.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ProxyProcess;
import io.headgate.server.ServerProcess;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code headgate demo policies} as a process: a real Redis, and five servers. */
@Timeout(300)
class DemoPoliciesIT {

    private static final String ALL = " +5 of 5 servers, median \\d+ ms, maximum \\d+ ms$";

    @Test
    void five_servers_apply_each_step_and_end_with_the_demo() throws Exception {
        try (ServerProcess demo = ServerProcess.start("demo", "policies")) {
            int redis =
                    Integer.parseInt(demo.awaitLine("^Redis .* at redis://127.0.0.1:(\\d+), for this machine only"));
            List<URI> servers = Stream.of(demo.awaitLine("^servers +(http.*)").split(" "))
                    .map(URI::create)
                    .toList();
            assertThat(servers).hasSize(5).doesNotHaveDuplicates();
            demo.awaitLine("^change: from 100 to 50 requests a minute" + ALL);
            demo.awaitLine("^rejected change: the same rule by another dimension" + ALL);
            demo.awaitLine("^  version 3-\\w+ rejected at .*: the dimensions of rule limit of policy api can't change");
            demo.awaitLine("^rollback to the first version" + ALL);
            demo.awaitLine("^shadow version: 10 requests a minute" + ALL);
            String[] preview = demo.awaitLine("^  of (\\d+ requests, it would have denied \\d+)$")
                    .split(" requests, it would have denied ");
            int compared = Integer.parseInt(preview[0]);
            int denied = Integer.parseInt(preview[1]);
            // On a busy machine, some copies are skipped, or Redis replies too late.
            assertThat(compared).isBetween(11, 20);
            assertThat(compared - denied).isBetween(1, 10);
            demo.awaitLine("^the shadow version is discarded" + ALL);
            demo.awaitLine("^ban of the user mallory" + ALL);
            demo.awaitLine("^the ban is lifted" + ALL);
            assertThat(demo.awaitExit()).isZero();
            assertThat(ProxyProcess.isTaken(redis)).isFalse();
            for (URI server : servers) {
                assertThat(ProxyProcess.isTaken(server.getPort())).isFalse();
            }
            assertThat(String.join("\n", demo.output())).doesNotContain("Exception", " ERROR ");
        }
    }
}
