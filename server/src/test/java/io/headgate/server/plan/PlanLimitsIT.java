package io.headgate.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.Main;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code headgate plan limits}: the allocator of a given Redis, request ids, and in-flight limits. It changes nothing in the Redis. */
class PlanLimitsIT {

    private static final Pattern QUANTUM = Pattern.compile("Quantum size: (\\d+)");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void memory_is_that_of_the_given_redis() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            Matcher quantum = QUANTUM.matcher(String.valueOf(probe.command("MEMORY", "MALLOC-STATS")));
            assertThat(quantum.find()).isTrue();
            assertThat(plan(redis.url())).isZero();
            assertThat(out.toString())
                    .contains("small size classes are " + quantum.group(1) + " bytes apart, as 127.0.0.1:"
                            + redis.port() + " reports")
                    .contains(
                            quantum.group(1).equals("8")
                                    ? "At most 1 000 keys and 149 KiB"
                                    : "At most 1 000 keys and 172 KiB");
            assertThat(probe.command("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void without_the_right_to_read_the_allocator_the_plan_assumes_the_build_that_takes_more() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("ACL", "SETUSER", "few", "on", ">secret", "+ping");
            assertThat(plan(redis.url().replace("redis://", "redis://few:secret@")))
                    .isZero();
            assertThat(out.toString())
                    .contains("small size classes are 16 bytes apart; 127.0.0.1:" + redis.port()
                            + " does not report its allocator");
        }
    }

    @Test
    void a_redis_that_does_not_reply_is_reported() {
        assertThat(plan("redis://:secret@127.0.0.1:1")).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("headgate: 127.0.0.1:1 does not reply: Connection refused: nothing listens at this address")
                .doesNotContain("secret");
    }

    @Test
    void request_ids_have_a_row_and_are_in_the_sum() {
        assertThat(planned("--rate", "10", "--request-ids", "0.5", "--request-id-horizon", "2m"))
                .isZero();
        assertThat(out.toString())
                .containsPattern("plan, request ids +600 +600 +\\d+ KiB +\\d+ KiB +10 ")
                .contains("At most 1 600 keys and ")
                .contains(" each second 10 round trips, 50 commands, ");
    }

    @Test
    void in_flight_limits_are_planned_with_other_limits_by_the_time_of_a_hold(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("p.yaml");
        Files.writeString(file, """
                policies:
                  exports: { rules: { all: { in-flight: { permits: 5 } } } }
                  api: { rules: { all: { fixed-window: { permits: 5, window: 1m } } } }
                """);
        String[] plan = {"plan", "limits", "--policies", file.toString(), "--rate", "5"};
        assertThat(run(plan)).isEqualTo(2);
        assertThat(err.toString())
                .contains("policy exports has in-flight limits; give the average time of a hold: --held TIME");
        // Five permits at a load of five: 28.5 % are denied (Erlang's loss formula).
        assertThat(run(with(plan, "--held", "1s"))).isZero();
        assertThat(out.toString())
                .containsPattern("exports/all +72 % +1 ")
                .containsPattern("api/all ")
                .contains(
                        "exports: on average 3.6 permits are held and 28.5 % of the requests denied; each second 5 takes, 3.6 releases, and ");
        out.getBuffer().setLength(0);
        assertThat(run(with(plan, "--policy", "exports", "--held", "exports=1s", "--json")))
                .isZero();
        assertThat(out.toString())
                .contains("\"inFlight\"")
                .contains("\"renewingCallsPerSecond\"")
                .doesNotContain("api");
        assertThat(run(with(plan, "--policy", "api"))).isZero();
        assertThat(run(with(plan, "--policy", "api", "--held", "1s"))).isEqualTo(2);
        assertThat(err.toString()).contains("--held: no policy of in-flight limits is planned");
        assertThat(run(with(plan, "--policy", "none"))).isEqualTo(2);
        assertThat(err.toString()).contains("there is no policy \"none\"; there are api, exports");
    }

    private static String[] with(String[] command, String... more) {
        return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
    }

    private int plan(String url) {
        return planned("--redis", url);
    }

    private int planned(String... options) {
        List<String> command = new ArrayList<>(
                List.of("plan", "limits", "--limit", "sliding-counter: { permits: 5, window: 1m }", "--users", "1000"));
        command.addAll(List.of(options));
        return run(command.toArray(String[]::new));
    }

    private int run(String... command) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(command);
    }
}
