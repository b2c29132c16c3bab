package io.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.ProxyProcess;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Leftovers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code headgate demo} as a process, with a real Redis and real HTTP. */
class DemoIT {

    /** Matches the keys of limits, which expire, and not those of queues. */
    private static final String LIMITS = "hg:[^q]*";

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void the_demo_shows_limited_traffic_and_exits_with_0_without_leftovers() throws Exception {
        try (ServerProcess demo = ServerProcess.start("demo", "--seconds", "7", "--port", "0")) {
            demo.awaitLine("^Redis .* at \\S+, for this machine only");
            demo.awaitLine("^server +http://127.0.0.1:");
            Path policies = Path.of(demo.awaitLine("^policies +(.*)"));
            demo.awaitLine("^ +requests \\d+, allowed \\d+, denied \\d+; denied by rule: global \\d+, per-user \\d+");
            demo.awaitLine("^ +jobs enqueued \\d+, done \\d+, retried \\d+, dead letters \\d+, waiting \\d+$");
            demo.awaitLine("^ +queue +enqueued +done +retried +dead letters +waiting$");
            demo.awaitLine("^ +mails( +\\d+){5}$");
            String summary = demo.awaitLine("^summary: (.*)");
            String jobs = demo.awaitLine("^queue: +(.*)");

            assertThat(demo.awaitExit()).isZero();
            demo.awaitLine("^headgate demo: ended; its server and its Redis are stopped");
            assertThat(summary)
                    .matches("requests [1-9]\\d*, allowed [1-9]\\d*, denied [1-9]\\d*; denied by rule: global \\d+,"
                            + " per-user [1-9]\\d*, per-ip \\d+(; failed: \\d+)?; a check took \\S+ ms at the median,"
                            + " \\S+ ms at the 99th percentile");
            // On a slow machine, the seconds of the demo are too few for retries. DemoJobsIT awaits those.
            assertThat(jobs)
                    .matches("jobs enqueued [1-9]\\d*, done [1-9]\\d*, retried \\d+, dead letters \\d+,"
                            + " waiting \\d+; from the due time of a job to the start of its handler: \\S+ ms at the median,"
                            + " \\S+ ms at the 99th percentile");
            assertThat(policies).doesNotExist();
            assertThat(String.join("\n", demo.output())).doesNotContain("Exception", " ERROR ");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void the_demo_serves_until_a_signal_and_then_stops_its_redis() throws Exception {
        try (ServerProcess demo = ServerProcess.start("demo", "--port", "0")) {
            int redisPort = Integer.parseInt(demo.awaitLine("^Redis .* at redis://127.0.0.1:(\\d+)"));
            Path policies = Path.of(demo.awaitLine("^policies +(.*)"));
            URI suggested = URI.create(demo.awaitLine("curl -i '(.*)'"));

            assertThat(Files.readString(policies)).contains("policies:");
            assertThat(status(suggested)).isEqualTo(200);
            demo.awaitLine("^  ./headgate queue peek mails --state dead --redis redis://127.0.0.1:" + redisPort);
            String redis = demo.awaitLine("^  ./headgate queue peek mails --state done --redis (\\S+)");
            CliRun done = CliRun.of("queue", "peek", "mails", "--state", "done", "--redis", redis);
            assertThat(done.out()).contains("@whole.example", "20 of ").doesNotContain("broken.example");
            Leftovers.in("redis://127.0.0.1:" + redisPort, LIMITS).requireNone();

            // The demo also ends properly if a user has moved its file.
            Files.move(policies, policies.resolveSibling(policies.getFileName() + ".kept"));
            demo.terminate();

            assertThat(demo.awaitExit()).isZero();
            demo.awaitLine("^headgate demo: ended; its server and its Redis are stopped");
            Files.delete(policies.resolveSibling(policies.getFileName() + ".kept"));
            assertThat(String.join("\n", demo.output())).doesNotContain("Exception");
            assertThat(ProxyProcess.isTaken(redisPort)).isFalse();
        }
    }

    private static int status(URI address) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
