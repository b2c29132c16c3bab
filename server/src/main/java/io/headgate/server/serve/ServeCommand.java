package io.headgate.server.serve;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.limits.Fallback;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.cli.Version;
import io.headgate.server.http.BearerToken;
import io.headgate.server.limits.HeldAnswerWarning;
import io.headgate.server.limits.ProxyRequest;
import io.headgate.server.redis.RedisTls;
import io.headgate.server.text.Quoted;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate serve}: reads the policies, starts the server, and stops it in order when it is told to. */
@Command(
        name = "serve",
        description = "Answers checks over HTTP for the policies of a file, until it is stopped.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "A TIME is a whole number and its unit, such as 250ms, 5s or 2m.",
            "SIGTERM and Ctrl-C: /readyz turns 503, checks go on for --drain-delay, requests in flight are finished, exit 0.",
            "Exit codes: 0 stopped in order, 1 could not start, 2 wrong command line or policies."
        })
public final class ServeCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);

    @Option(
            names = "--policies",
            required = true,
            paramLabel = "FILE",
            description = "The policies, as YAML. The one option that is required.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path policies;

    @Option(
            names = "--redis",
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_REDIS}",
            description = {
                "Where to count, such as redis://127.0.0.1:6379; by default, in the memory of this process.",
                "The variable HEADGATE_REDIS says the same and keeps a password out of the list of processes."
            })
    private Optional<String> redis = Optional.empty();

    @Mixin
    private RedisTls tls = new RedisTls();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description = "With --redis: what every key in Redis begins with, 1 to 64 of A-Z a-z 0-9 . _ - of which"
                    + " the first is a letter or a digit; ${DEFAULT-VALUE} by default.")
    private String keyPrefix = "hg";

    @Option(
            names = "--redis-timeout",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationOption.OfRedis.class,
            description = "With --redis: how long an answer of Redis may take, from 1ms to 4s;"
                    + " ${DEFAULT-VALUE} by default.")
    private Duration redisTimeout = Duration.ofMillis(500);

    @Option(
            names = "--fallback",
            paramLabel = "MODE",
            defaultValue = "local",
            converter = FallbackOption.class,
            description =
                    "With --redis: what checks are answered while it does not answer, of policies that don't say it"
                            + " themselves: " + FallbackOption.EXPECTED + "; ${DEFAULT-VALUE} by default.")
    private Fallback.Mode fallback = Fallback.Mode.LOCAL;

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            converter = DurationOption.OfRedis.class,
            description =
                    "With --redis: how long a check waits for it before its fallback answers, from 1ms to 4s; 50ms"
                            + " by default.")
    private Optional<Duration> budget = Optional.empty();

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberOption.OfInstances.class,
            description =
                    "With --redis: how many servers and applications share the limits, from 1 to 10000, for the shares of"
                            + " a server that starts while Redis does not answer; else Redis says it;"
                            + " ${DEFAULT-VALUE} by default.")
    private int instances;

    @Option(
            names = "--max-keys",
            paramLabel = "N",
            converter = NumberOption.OfKeysInMemory.class,
            description =
                    "Without --redis: how many keys to count at most, of all policies together, from 1024 to 100000000;"
                            + " by default, as many as fit in a quarter of the heap (-Xmx) at 600 bytes a key, and at most a"
                            + " million.")
    private Optional<Integer> maxKeys = Optional.empty();

    @Option(
            names = "--refund-token",
            paramLabel = "TOKEN",
            description = {
                "Lets clients that send it refund permits: " + BearerToken.EXPECTED + ". By default, nobody may.",
                "--refund-token-file and the variable HEADGATE_REFUND_TOKEN keep it out of the list of processes."
            })
    private Optional<String> refundToken = Optional.empty();

    @Option(names = "--refund-token-file", paramLabel = "FILE", description = "A file that has the token for refunds.")
    private Optional<Path> refundTokenFile = Optional.empty();

    @Option(
            names = "--operator-token",
            paramLabel = "TOKEN",
            description = {
                "Lets operators who send it see hot keys, look into queues and change them: " + BearerToken.EXPECTED
                        + ". By default, nobody may.",
                "--operator-token-file and the variable HEADGATE_OPERATOR_TOKEN keep it out of the list of processes."
            })
    private Optional<String> operatorToken = Optional.empty();

    @Option(
            names = "--operator-token-file",
            paramLabel = "FILE",
            description = "A file that has the token for operators.")
    private Optional<Path> operatorTokenFile = Optional.empty();

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The address to listen at; ${DEFAULT-VALUE} by default, which only this machine reaches.")
    private String bind = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            converter = NumberOption.OfPort.class,
            description = "The port to listen at, from 0 to 65535; 0 takes any that is free;"
                    + " ${DEFAULT-VALUE} by default.")
    private int port;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = {
                "A value of Host to answer beside localhost, loopback addresses and the bind address (with the port, or"
                        + " none); repeatable.",
                "A NAME is a host name or an IP address, for every port, or with a port for that one."
            })
    private List<String> allowHosts = List.of();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "10000",
            converter = NumberOption.OfConnections.class,
            description = "How many connections at once, from 1 to 1000000; further ones are closed at once;"
                    + " ${DEFAULT-VALUE} by default.")
    private int maxConnections;

    @Option(
            names = "--max-connections-per-client",
            paramLabel = "N",
            converter = NumberOption.OfConnections.class,
            description = "How many connections at once from one client, from 1 to 1000000; further ones are closed at"
                    + " once; half of --max-connections by default, and then at most what half of the direct memory"
                    + " holds. A client is an IPv4 address or an IPv6 network of 64 bits (/64); a proxy is one client.")
    private Optional<Integer> maxConnectionsPerClient = Optional.empty();

    @Option(
            names = "--max-waiting",
            paramLabel = "N",
            defaultValue = "2000",
            converter = NumberOption.OfConnections.class,
            description =
                    "How many requests may wait at once, because their answers are held or because they wait for a"
                            + " hold, from 1 to 1000000; further ones are refused and charged nothing; ${DEFAULT-VALUE} by"
                            + " default.")
    private int maxWaiting;

    @Option(
            names = "--drain-delay",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = DurationOption.class,
            description = "How long to go on after SIGTERM while /readyz says no, from 0ms to 60m;"
                    + " ${DEFAULT-VALUE} by default.")
    private Duration drainDelay = Duration.ofSeconds(2);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        ServerSettings settings = settings();
        Optional<String> url = redisUrl();
        Policies read = readPolicies();
        ListenAddress.requireFree(settings.listen());
        Counts counts = new Counts(read);
        try (StopSignal stop = StopSignal.listen()) {
            try (Engine engine = engine(url, counts);
                    HeadgateServer server = HeadgateServer.start(settings, engine, read, counts)) {
                announce(server, engine, read);
                stop.await();
                server.drain();
            }
            log.info("stopped");
        }
        return CommandLine.ExitCode.OK;
    }

    private ServerSettings settings() {
        ServerSettings.Builder settings = ServerSettings.builder(new InetSocketAddress(bindAddress(), port))
                .maxConnections(maxConnections)
                .maxWaiting(maxWaiting)
                .drainDelay(drainDelay)
                .refundToken(token("--refund-token", refundToken, refundTokenFile))
                .operatorToken(token("--operator-token", operatorToken, operatorTokenFile))
                .allowedHosts(allowedHosts());
        maxConnectionsPerClient.ifPresent(settings::maxConnectionsPerClient);
        return settings.build();
    }

    private Optional<BearerToken> token(String name, Optional<String> given, Optional<Path> file) {
        try {
            return TokenOption.find(name, given, file, System.getenv());
        } catch (StartException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private List<String> allowedHosts() {
        try {
            allowHosts.forEach(AllowedHosts::requireValid);
            return allowHosts;
        } catch (IllegalArgumentException e) {
            throw wrong("--allow-host: " + e.getMessage());
        }
    }

    private InetAddress bindAddress() {
        try {
            return InetAddress.getByName(bind);
        } catch (UnknownHostException e) {
            throw wrong(
                    "--bind must be an address of this machine such as 127.0.0.1 or 0.0.0.0, was " + Quoted.of(bind));
        }
    }

    private Policies readPolicies() {
        try {
            Policies read = PolicyFile.read(policies);
            ProxyRequest.requireNoReservedNames(read.list());
            return read;
        } catch (ConfigException | IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> redisUrl() {
        // A variable that is set to nothing is not set.
        Optional<String> url = redis.filter(given -> !given.isBlank());
        if (url.isEmpty()) {
            for (String option : List.of("--key-prefix", "--redis-timeout", "--fallback", "--budget", "--instances")) {
                if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                    throw wrong(option + " is of no use without --redis");
                }
            }
            if (tls.isGiven()) {
                throw wrong("certificates for Redis are of no use without --redis");
            }
        } else {
            tls.check(url.get());
        }
        if (url.isPresent() && maxKeys.isPresent()) {
            throw wrong("--max-keys is of no use with --redis, where Redis counts");
        }
        budget.filter(longest -> longest.compareTo(redisTimeout) > 0).ifPresent(longest -> {
            throw wrong("--budget must be at most the --redis-timeout of " + redisTimeout.toMillis() + "ms, was "
                    + longest.toMillis() + "ms");
        });
        return url;
    }

    private Engine engine(Optional<String> url, Counts counts) {
        if (url.isEmpty()) {
            return Engine.inMemory(counts, maxKeys);
        }
        try {
            return Engine.redis(
                    url.get(), keyPrefix, redisTimeout, new Fallback(fallback, budget), instances, tls, counts);
        } catch (LimiterException | QueueException e) {
            throw StartException.failed(e.getMessage() + "; without --redis the server counts in its own memory");
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private void announce(HeadgateServer server, Engine engine, Policies policies) {
        log.info("headgate {} counts in {}", Version.text(), engine.description());
        List<ShownPolicy> shown = ShownPolicy.of(policies);
        for (ShownPolicy policy : shown) {
            policy.rules().forEach(rule -> log.info("policy {}: {}: {}", policy.name(), rule.name(), rule.admits()));
        }
        policies.forEach(policy -> HeldAnswerWarning.of(policy).forEach(log::warn));
        if (!server.address().getAddress().isLoopbackAddress()) {
            log.warn("whoever reaches this address can ask, and so use up permits; let only your proxies reach it");
        }
        if (server.address().getAddress().isAnyLocalAddress()) {
            log.info(
                    "listens at {}:{}, every address of this machine (a page for browsers at {})",
                    bind.contains(":") ? "[" + bind + "]" : bind,
                    server.address().getPort(),
                    server.uri());
        } else {
            log.info("listens at {} (a page for browsers at the same address)", server.uri());
        }
        log.info("try: {}", shown.get(0).example().apply(server.uri()));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
