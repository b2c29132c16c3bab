package io.headgate.server.serve;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.config.sources.PolicySource;
import io.headgate.server.audit.AuditOptions;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.cli.Version;
import io.headgate.server.http.BearerToken;
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

/** {@code headgate serve}: reads the policies, starts the server, and stops it gracefully on a signal. */
@Command(
        name = "serve",
        description = "Serves rate-limit checks over HTTP, for the policies of a file, in Redis, etcd or Consul.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "A TIME is a whole number and its unit, such as 250ms, 5s or 2m.",
            "On SIGTERM and Ctrl-C, /readyz returns 503, checks continue for --drain-delay, requests in flight finish, and the process exits with 0.",
            "Exit codes: 0 stopped gracefully, 1 could not start, 2 wrong command line or policies, 3 out of memory."
        })
public final class ServeCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);

    @Option(
            names = "--policies",
            required = true,
            paramLabel = "FILE",
            description = {
                "The policies, as YAML, or a directory with such files; or the word redis, etcd or consul: those that headgate policy apply has written to the Redis of --redis, the etcd of --etcd, or the Consul of --consul."
                        + " The one option that is required.",
                "Changes are applied while the server runs."
            })
    private String policies = "";

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Option(
            names = "--refund-token",
            paramLabel = "TOKEN",
            description = {
                "Clients that send this token may refund permits: " + BearerToken.EXPECTED
                        + ". By default, these calls are off.",
                "--refund-token-file and the variable HEADGATE_REFUND_TOKEN keep it out of the process list."
            })
    private Optional<String> refundToken = Optional.empty();

    @Option(names = "--refund-token-file", paramLabel = "FILE", description = "A file with the token for refunds.")
    private Optional<Path> refundTokenFile = Optional.empty();

    @Mixin
    private OperatorOptions operators = new OperatorOptions();

    @Mixin
    private AuditOptions auditOptions = new AuditOptions();

    @Mixin
    private TlsOptions tls = new TlsOptions();

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The listen address; ${DEFAULT-VALUE} by default, which only this machine reaches.")
    private String bind = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            converter = NumberOption.OfPort.class,
            description = "The listen port, from 0 to 65535; 0 selects a free one;" + " ${DEFAULT-VALUE} by default.")
    private int port;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = {
                "A value of Host to accept, in addition to localhost, loopback addresses and the bind address (with the port, or without); repeatable.",
                "A NAME is a host name or an IP address, for every port or, with a port, for that one."
            })
    private List<String> allowHosts = List.of();

    @Mixin
    private TrustedProxies proxies = new TrustedProxies();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "10000",
            converter = NumberOption.OfConnections.class,
            description =
                    "Open connections, from 1 to 1000000; further ones are closed;" + " ${DEFAULT-VALUE} by default.")
    private int maxConnections;

    @Option(
            names = "--max-connections-per-client",
            paramLabel = "N",
            converter = NumberOption.OfConnections.class,
            description =
                    "Open connections of one client, from 1 to 1000000; further ones are closed; half of --max-connections by default, but at most what half of the direct memory holds. A client is an IPv4 address or an IPv6 network of 64 bits (/64); a proxy is one client.")
    private Optional<Integer> maxConnectionsPerClient = Optional.empty();

    @Option(
            names = "--max-waiting",
            paramLabel = "N",
            defaultValue = "2000",
            converter = NumberOption.OfConnections.class,
            description =
                    "Requests that may wait at the same time, for a shaper or for a hold, from 1 to 1000000; further ones are refused and charged nothing; ${DEFAULT-VALUE} by"
                            + " default.")
    private int maxWaiting;

    @Option(
            names = "--drain-delay",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = DurationOption.class,
            description = "How long to continue after SIGTERM while /readyz returns 503, from 0ms to 60m;"
                    + " ${DEFAULT-VALUE} by default.")
    private Duration drainDelay = Duration.ofSeconds(2);

    private final ServerPolicyListener policyListener = new ServerPolicyListener();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        ServerSettings settings = settings();
        store.check(policies);
        try (PolicySource source = store.policies(policies)) {
            return serve(settings, source);
        }
    }

    private Integer serve(ServerSettings settings, PolicySource source) {
        PolicyDocument read = readPolicies(source);
        ListenAddress.requireFree(settings.listen());
        settings.operatorListen().ifPresent(OperatorAddress::requireFree);
        Counts counts = new Counts();
        try (StopSignal stop = StopSignal.listen()) {
            try (Engine engine = store.open(counts);
                    PolicyReloader reloader = startReloader(engine, source, read);
                    HeadgateServer server =
                            HeadgateServer.start(settings, engine, ServedPolicies.of(reloader, source), counts)) {
                announce(server, engine, reloader);
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
                .allowedHosts(allowedHosts())
                .clientAddress(proxies.clientAddress());
        maxConnectionsPerClient.ifPresent(settings::maxConnectionsPerClient);
        try {
            settings.refundToken(TokenOption.find("--refund-token", refundToken, refundTokenFile, System.getenv()));
            tls.addTo(settings, operators.addTo(settings));
            settings.auditFile(auditOptions.openFile());
        } catch (StartException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        return settings.build();
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

    /** Reads and checks the policies before anything else is opened. Closes the source if they are invalid. */
    private PolicyDocument readPolicies(PolicySource source) {
        boolean valid = false;
        try {
            PolicyDocument read = read(source);
            policyListener.check(read.policies());
            valid = true;
            return read;
        } catch (ConfigException | IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        } finally {
            if (!valid) {
                source.close();
            }
        }
    }

    /** A file that cannot be read is a wrong argument; a Redis, etcd or Consul that cannot be read may be there later. */
    private PolicyDocument read(PolicySource source) {
        try {
            return source.read();
        } catch (ConfigException e) {
            throw StoreOptions.areStored(policies) ? StartException.failed(String.valueOf(e.getMessage())) : e;
        }
    }

    private PolicyReloader startReloader(Engine engine, PolicySource source, PolicyDocument read) {
        try {
            return PolicyReloader.start(engine.limits(), source, read, Policies.of(List.of()), policyListener);
        } catch (ConfigException | IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    private void announce(HeadgateServer server, Engine engine, PolicyReloader reloader) {
        Policies policies = reloader.registry().policies();
        log.info("headgate {} started; store: {} ({})", Version.text(), engine.description(), engine.healthText());
        log.info(
                "policies: version {} of {}",
                reloader.status().version(),
                reloader.status().source());
        List<PolicyView> shown = PolicyView.of(policies);
        for (PolicyView policy : shown) {
            policy.rules().forEach(rule -> log.info("policy {}: {}: {}", policy.name(), rule.name(), rule.admits()));
        }
        ServerPolicyListener.warn(policies);
        if (server.sendsTokensInClearText()) {
            log.warn("operator tokens cross the network in clear text; give --tls-certificate, or another"
                    + " --operator-bind such as unix:/path");
        }
        if (!server.address().getAddress().isLoopbackAddress()) {
            log.warn(
                    "every client that reaches this address can consume permits; let only your proxies and programs reach it");
        }
        if (server.address().getAddress().isAnyLocalAddress()) {
            log.info(
                    "listening on {}:{}, every address of this machine (status page at {})",
                    bind.contains(":") ? "[" + bind + "]" : bind,
                    server.address().getPort(),
                    server.uri());
        } else {
            log.info("listening on {} (status page at the same address)", server.uri());
        }
        server.operatorAddress().ifPresent(address -> log.info("operators: listening on {}", address));
        log.info("try: {}", shown.get(0).example().apply(server.uri()));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
