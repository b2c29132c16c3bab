package io.headgate.server.demo;

import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.http.LimitDescriptions;
import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.cli.Version;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.server.serve.ServerSettings;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate demo}: a Redis, a server and some clients on this machine, which show limits and a queue. */
@Command(
        name = "demo",
        description = {
            "Starts a Redis and the server on this machine only, sends checks of six clients for 15 seconds and jobs through a queue, prints the outcome, and continues to serve.",
            "The Redis is redis-server or valkey-server from the PATH, or else the included one."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        subcommands = DemoPoliciesCommand.class,
        footer = {"", "Ctrl-C stops everything that it started."})
public final class DemoCommand implements Callable<Integer> {

    private static final String POLICIES = "demo-policies.yaml";
    private static final int DEFAULT_PORT = 8080;
    private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(4);
    private static final String KEY_PREFIX = "hg";
    private static final Duration TRAFFIC = Duration.ofSeconds(15);

    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = NumberOption.OfSeconds.class,
            description = "End after this number of seconds, from 1 to 86400; by default, at Ctrl-C.")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            converter = NumberOption.OfPort.class,
            description =
                    "The port of the server, from 0 to 65535; 0 selects a free one; by default 8080, or a free one if 8080 is in use.")
    private Optional<Integer> port = Optional.empty();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        DemoRedis.silenceConnectionWarnings();
        try (StopSignal stop = StopSignal.listen()) {
            Path file = policyFile();
            try {
                run(out, stop, file);
            } catch (RuntimeException e) {
                // A signal during the start stops the Redis of the demo immediately, so the next step fails.
                if (!stop.isSignalled()) {
                    throw e;
                }
            } finally {
                Files.deleteIfExists(file);
            }
            out.println("headgate demo: ended; its server and its Redis are stopped");
            out.flush();
        }
        return CommandLine.ExitCode.OK;
    }

    private void run(PrintWriter out, StopSignal stop, Path file) throws InterruptedException {
        Policies policies = PolicyFile.read(file);
        Policy policy = policies.list().get(0);
        Counts counts = new Counts();
        try (RedisServer redis = DemoRedis.start();
                Engine engine = Engine.redis(
                        redis.url(), KEY_PREFIX, REDIS_TIMEOUT, Fallback.local().within(REDIS_TIMEOUT), counts);
                HeadgateServer server = startServer(engine, policies, counts);
                DemoJobs jobs = DemoJobs.on(redis.url(), KEY_PREFIX, REDIS_TIMEOUT)) {
            out.println("Redis     " + redis.description() + " at " + redis.url() + ", for this machine only");
            out.println("server    " + server.uri() + " (status page)");
            out.println("policies  " + file);
            policy.rules().forEach(rule -> out.println("  " + rule.name() + ": " + LimitDescriptions.of(rule)));
            out.println();
            Duration wanted = seconds.map(Duration::ofSeconds).orElse(TRAFFIC);
            Duration traffic = wanted.compareTo(TRAFFIC) < 0 ? wanted : TRAFFIC;
            DemoShow show = new DemoShow(out, stop, server.uri(), policy, counts, jobs);
            if (show.run(traffic)) {
                return;
            }
            Duration left = wanted.minus(traffic);
            if (seconds.isEmpty()) {
                show.printWhatToTry(redis.url(), "Ctrl-C ends it.");
                stop.await();
            } else if (!left.isZero()) {
                show.printWhatToTry(redis.url(), "It ends in " + left.toSeconds() + " seconds.");
                stop.await(left);
            }
        }
    }

    /** Copies the example policies to a temporary file, which users can read and copy. */
    private static Path policyFile() {
        try (InputStream example = DemoCommand.class.getResourceAsStream(POLICIES)) {
            Path file = Files.createTempFile("headgate-demo-", ".yaml");
            Files.copy(Objects.requireNonNull(example, POLICIES), file, StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (IOException e) {
            throw StartException.failed(
                    "can't write to the folder for temporary files, " + System.getProperty("java.io.tmpdir")
                            + "; choose another with HEADGATE_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER");
        }
    }

    private HeadgateServer startServer(Engine engine, Policies policies, Counts counts) {
        try {
            return HeadgateServer.start(settings(port.orElse(DEFAULT_PORT)), engine, policies, counts);
        } catch (StartException e) {
            if (port.isPresent()) {
                throw e;
            }
            return HeadgateServer.start(settings(0), engine, policies, counts);
        }
    }

    private static ServerSettings settings(int port) {
        return ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .drainDelay(Duration.ZERO)
                .build();
    }
}
