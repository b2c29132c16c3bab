package io.headgate.server.demo;

import io.headgate.server.TestServer;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The traffic of the demo, over real HTTP. */
class DemoTrafficTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_request_that_cannot_be_sent_is_a_failure_and_the_others_continue() {
        DemoClient broken = new DemoClient("broken", "no\nfield", "192.0.2.1", 400);
        DemoClient valid = new DemoClient("valid", "alice", "192.0.2.2", 50);

        try (TestServer server = new TestServer();
                DemoTraffic traffic = DemoTraffic.start(List.of(broken, valid), server.at("/check/api"))) {
            // More than may be in flight: failed requests do not count as in flight.
            Await.until("failures of the broken client", LONG, () -> broken.failed.sum() > 200);
            long before = valid.allowed.sum() + valid.denied.sum();
            Await.until("responses for the other one", LONG, () -> valid.allowed.sum() + valid.denied.sum() > before);
            traffic.stop();
        }
    }
}
