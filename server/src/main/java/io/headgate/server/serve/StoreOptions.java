package io.headgate.server.serve;

import io.headgate.config.ConfigException;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.settings.RedisEngineSettings;
import io.headgate.config.sources.CopiedPolicySource;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicySource;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.redis.audit.AuditLogException;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.consul.ConsulOptions;
import io.headgate.server.etcd.EtcdOptions;
import io.headgate.server.redis.OptionSettings;
import io.headgate.server.redis.RedisTls;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of {@code headgate serve} for its store: Redis or the memory of the process, timeouts and fallbacks. */
final class StoreOptions {

    /** The source of policies that are stored in the Redis of the limits. */
    private static final String POLICIES_IN_REDIS = "redis";

    private static final String POLICIES_IN_ETCD = "etcd";

    private static final String POLICIES_IN_CONSUL = "consul";

    @Option(
            names = "--redis",
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_REDIS}",
            description = {
                "The Redis to count in, such as redis://127.0.0.1:6379; by default, the memory of this process.",
                "The variable HEADGATE_REDIS does the same and keeps a password out of the process list."
            })
    private Optional<String> redis = Optional.empty();

    @Option(
            names = "--policies-copy",
            paramLabel = "FILE",
            description =
                    "With --policies redis, etcd or consul: a local copy of the policies in force, so that the server starts while the store does not reply.")
    private Optional<Path> policiesCopy = Optional.empty();

    @Mixin
    private EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private ConsulOptions consul = new ConsulOptions();

    @Mixin
    private RedisTls tls = new RedisTls();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description =
                    "With --redis, --etcd or --consul: the prefix of every key, 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or a digit; ${DEFAULT-VALUE} by default.")
    private String keyPrefix = "hg";

    @Option(
            names = "--redis-timeout",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationOption.OfRedisTimeout.class,
            description = "With --redis: how long a call to Redis may take, from 1ms to 4s;"
                    + " ${DEFAULT-VALUE} by default.")
    private Duration redisTimeout = Duration.ofMillis(500);

    @Option(
            names = "--fallback",
            paramLabel = "MODE",
            defaultValue = "local",
            description =
                    "With --redis: how checks are decided while Redis does not reply, unless the policy sets it: "
                            + "local (this server's share of each limit), open (all are allowed), closed (all are denied) or none (503); ${DEFAULT-VALUE} by default.")
    private String fallback = "local";

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description =
                    "With --redis: how long a check waits for Redis before its fallback decides, from 1ms to --redis-timeout; by default 50ms, or --redis-timeout if that is shorter or the fallback is none.")
    private Optional<String> budget = Optional.empty();

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "With --redis: the number of servers and applications that share the limits, from 1 to 10000, for a server that starts while Redis does not reply; otherwise Redis provides it;"
                            + " ${DEFAULT-VALUE} by default.")
    private String instances = "1";

    @Option(
            names = "--max-keys",
            paramLabel = "N",
            converter = NumberOption.OfKeysInMemory.class,
            description =
                    "Without --redis: the maximum number of keys to count, over all policies, from 1024 to 100000000;"
                            + " by default, as many as fit in a quarter of the heap (-Xmx) at 600 bytes a key, and at most a"
                            + " million.")
    private Optional<Integer> maxKeys = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /**
     * Checks the options without connecting.
     *
     * @param policies the source of the policies
     * @throws ParameterException when options contradict each other, or a value is invalid
     */
    void check(String policies) {
        etcd.given().filter(option -> !policies.equals(POLICIES_IN_ETCD)).ifPresent(option -> {
            throw wrong(option + " needs --policies etcd");
        });
        consul.given().filter(option -> !policies.equals(POLICIES_IN_CONSUL)).ifPresent(option -> {
            throw wrong(option + " needs --policies consul");
        });
        if (url().isEmpty()) {
            checkWithoutRedis(policies);
        } else if (maxKeys.isPresent()) {
            throw wrong("--max-keys cannot be combined with --redis, which stores the counts; remove one of them");
        } else {
            settings(url().get()); // throws if a value is invalid
        }
    }

    /** The URL of Redis. A blank one, as from an empty variable of the environment, counts as not given. */
    private Optional<String> url() {
        return redis.filter(given -> !given.isBlank());
    }

    private void checkWithoutRedis(String policies) {
        for (String option : List.of("--key-prefix", "--redis-timeout", "--fallback", "--budget", "--instances")) {
            boolean forOtherStore = option.equals("--key-prefix")
                    && (policies.equals(POLICIES_IN_ETCD) || policies.equals(POLICIES_IN_CONSUL));
            if (!forOtherStore && command.commandLine().getParseResult().hasMatchedOption(option)) {
                throw wrong(option + " needs --redis");
            }
        }
        if (tls.isGiven()) {
            throw wrong("certificates for Redis need --redis");
        }
    }

    /**
     * Opens the engine.
     *
     * @param counts the statistics of the server, which count every decision
     * @throws StartException when Redis does not reply and there is no fallback, or when it rejects the connection
     * @throws ParameterException when a value is invalid
     */
    Engine open(Counts counts) {
        Optional<String> url = url();
        if (url.isEmpty()) {
            return Engine.inMemory(counts, maxKeys);
        }
        try {
            return Engine.redis(settings(url.get()), counts);
        } catch (LimiterException | QueueException | AuditLogException e) {
            throw StartException.failed(e.getMessage() + "; to count in the server's own memory, omit --redis");
        }
    }

    /**
     * Opens the source of the policies.
     *
     * @param from a file or a directory, or {@value #POLICIES_IN_REDIS}, {@value #POLICIES_IN_ETCD} or {@value #POLICIES_IN_CONSUL}
     * @throws StartException when Redis rejects the connection, or a certificate for etcd or Consul is invalid
     * @throws ParameterException when there is no such source
     */
    PolicySource policies(String from) {
        return switch (from) {
            case POLICIES_IN_REDIS -> withCopy(policiesInRedis());
            case POLICIES_IN_ETCD -> withCopy(policiesInEtcd());
            case POLICIES_IN_CONSUL -> withCopy(policiesInConsul());
            default -> policiesOf(from);
        };
    }

    /** Returns whether policies are in a store, and not in a file. */
    static boolean areStored(String from) {
        return List.of(POLICIES_IN_REDIS, POLICIES_IN_ETCD, POLICIES_IN_CONSUL).contains(from);
    }

    private FilePolicySource policiesOf(String file) {
        if (policiesCopy.isPresent()) {
            throw wrong("--policies-copy needs --policies redis, etcd or consul");
        }
        try {
            return FilePolicySource.of(Path.of(file));
        } catch (InvalidPathException e) {
            throw wrong("--policies must be a file, a directory, redis, etcd or consul: " + e.getMessage());
        }
    }

    private PolicySource withCopy(PolicySource stored) {
        return policiesCopy
                .<PolicySource>map(copy -> CopiedPolicySource.of(stored, copy))
                .orElse(stored);
    }

    private PolicySource policiesInRedis() {
        String url = url().orElseThrow(() ->
                wrong("--policies redis needs --redis, which has the policies; for a file named redis, give ./redis"));
        try {
            return RedisPolicyStore.connect(settings(url).connection());
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private PolicySource policiesInEtcd() {
        if (!etcd.hasUrl()) {
            throw wrong("--policies etcd needs --etcd, which has the policies; for a file named etcd, give ./etcd");
        }
        return etcd.policies(keyPrefix);
    }

    private PolicySource policiesInConsul() {
        if (!consul.hasAnyUrl()) {
            throw wrong("--policies consul needs --consul, which has the policies; for a file named consul,"
                    + " give ./consul");
        }
        return consul.policies(keyPrefix);
    }

    private RedisEngineSettings settings(String url) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("url", url);
        settings.put("key-prefix", keyPrefix);
        settings.put("timeout", redisTimeout.toMillis() + "ms");
        settings.put("fallback", fallback);
        budget.ifPresent(given -> settings.put("budget", given));
        settings.put("expected-instances", instances);
        tls.addTo(settings);
        return OptionSettings.read(settings, command.commandLine());
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
