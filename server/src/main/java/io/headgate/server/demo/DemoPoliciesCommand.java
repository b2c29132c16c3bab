package io.headgate.server.demo;

import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyStore;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.cli.Version;
import io.headgate.testkit.RedisServer;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate demo policies}: five servers on this machine apply changes of their policies, and a ban. */
@Command(
        name = "policies",
        description = {
            "Starts a Redis and five servers, each a process of its own, on this machine only. Then it changes their policies, writes a"
                    + " version that they reject, rolls back, and bans a user, and prints how soon all servers have applied each step.",
            "It ends by itself, after about a quarter of a minute."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Exit codes: 0 all servers applied each step, 1 one did not within a minute, or something did not start."
        })
final class DemoPoliciesCommand implements Callable<Integer> {

    private static final int SERVERS = 5;
    private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(4);
    private static final int NOT_APPLIED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        DemoRedis.silenceConnectionWarnings();
        boolean applied = false;
        try (StopSignal stop = StopSignal.listen()) {
            try {
                applied = run(out, stop);
            } catch (RuntimeException e) {
                // A signal stops the Redis and the servers immediately, so the next step fails.
                if (!stop.isSignalled()) {
                    throw e;
                }
            }
            out.println("headgate demo policies: ended; its servers and its Redis are stopped");
            out.flush();
        }
        return applied ? CommandLine.ExitCode.OK : NOT_APPLIED;
    }

    /** On a busy machine, calls take longer than usual. */
    private static RedisSettings settings(RedisServer redis) {
        return RedisSettings.of(redis.url()).withTimeout(REDIS_TIMEOUT);
    }

    private static boolean run(PrintWriter out, StopSignal stop) throws InterruptedException {
        try (RedisServer redis = DemoRedis.start();
                PolicyStore store = RedisPolicyStore.connect(settings(redis));
                RedisLimitEngine limits =
                        RedisLimitEngine.builder(settings(redis)).build()) {
            PolicyShow.writeFirst(store);
            try (DemoServers servers = DemoServers.start(SERVERS, redis.url())) {
                out.println("Redis     " + redis.description() + " at " + redis.url() + ", for this machine only");
                out.println("servers   "
                        + servers.addresses().stream().map(URI::toString).collect(Collectors.joining(" ")));
                out.println();
                try (PolicyShow show = new PolicyShow(out, stop, servers, store, limits.bans())) {
                    return show.run();
                }
            }
        }
    }
}
