package io.headgate.server.redis;

import io.headgate.config.ConfigException;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.settings.RedisEngineSettings;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.redis.audit.AuditLogException;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.StartException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options of a command that requires Redis. */
public final class RedisOptions {

    /** Text that no shell interprets. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9:/._-]+");

    @Option(
            names = "--redis",
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_REDIS}",
            description = {
                "The Redis, such as redis://127.0.0.1:6379, or redis-cluster://host:port,host:port for a Cluster. Required, or as the variable HEADGATE_REDIS, which"
                        + " keeps a password out of the process list."
            })
    private Optional<String> redis = Optional.empty();

    @Mixin
    private RedisTls tls = new RedisTls();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description =
                    "The prefix of Headgate's keys, 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or a digit; ${DEFAULT-VALUE} by default.")
    private String keyPrefix = "hg";

    @Option(
            names = "--redis-timeout",
            paramLabel = "TIME",
            defaultValue = "2s",
            converter = DurationOption.OfRedisTimeout.class,
            description = "How long a call may take, from 1ms to 4s; ${DEFAULT-VALUE} by default.")
    private Duration timeout = Duration.ofSeconds(2);

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /**
     * The URL of Redis; for a Cluster, of its first node. The message of the error does not repeat it, because it may contain a password.
     */
    public RedisURI uri() {
        try {
            return RedisInspector.parse(url());
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Connects to Redis for any command.
     *
     * @throws RedisException if Redis does not reply, or rejects the connection
     */
    public RedisInspector inspect() {
        RedisURI uri = uri();
        settings(); // throws if an option is invalid
        return RedisInspector.connect(uri, timeout, tls.options());
    }

    /** Returns whether the URL is that of a Cluster. */
    public boolean isCluster() {
        return RedisInspector.isCluster(url());
    }

    public String keyPrefix() {
        return settings().connection().keyPrefix();
    }

    /** Returns the value of --key-prefix, which is not checked. Needs no URL. */
    public String givenKeyPrefix() {
        return keyPrefix;
    }

    /** Returns whether there is a URL, on the command line or in the environment. */
    public boolean hasUrl() {
        return givenUrl().isPresent();
    }

    public Duration timeout() {
        return timeout;
    }

    /**
     * Connects an engine of queues.
     *
     * @throws StartException if Redis does not reply, or rejects the connection
     */
    public RedisQueueEngine queues() {
        return connected(() -> settings().queues().build());
    }

    /**
     * Connects an engine of limits.
     *
     * @throws StartException if Redis does not reply, or rejects the connection
     */
    public RedisLimitEngine limits() {
        return connected(() -> settings().limits().build());
    }

    /**
     * Connects an engine of limits that applies no bans of operators.
     *
     * @throws StartException if Redis does not reply, or rejects the connection
     */
    public RedisLimitEngine limitsWithoutBans() {
        return connected(() -> settings().limits().bans(false).build());
    }

    /**
     * Connects to the policies that are stored in Redis.
     *
     * @throws StartException if Redis rejects the connection
     */
    public RedisPolicyStore policies() {
        return connected(() -> RedisPolicyStore.connect(settings().connection()));
    }

    /**
     * Connects to the audit log.
     *
     * @throws StartException if Redis rejects the connection
     */
    public RedisAuditLog auditLog() {
        return connected(() -> RedisAuditLog.connect(settings().connection()));
    }

    private RedisEngineSettings settings() {
        uri(); // throws if the URL is invalid
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("url", url());
        settings.put("key-prefix", keyPrefix);
        settings.put("timeout", timeout.toMillis() + "ms");
        settings.put("fallback", "none");
        tls.addTo(settings);
        return OptionSettings.read(settings, command.commandLine());
    }

    private <T> T connected(Supplier<T> connecting) {
        RedisURI uri = uri();
        try {
            return connecting.get();
        } catch (QueueException | LimiterException | ConfigException | AuditLogException e) {
            throw StartException.failed(
                    e.getMessage() + "; for more on " + RedisInspector.address(uri) + ": " + command("doctor"));
        }
    }

    /**
     * A command for the same Redis, to copy and try. It has the options for the URL and the key prefix if they are given on this command
     * line. The word URL stands for a URL that may contain a password.
     *
     * @param words the words after the name of the program
     */
    public String command(String words) {
        ParseResult given = command.commandLine().getParseResult();
        return "./headgate " + words
                + (given.hasMatchedOption("--redis") ? " --redis " + quoted(url()) : "")
                + prefixOption();
    }

    /** The option of the key prefix with a space before it, for a command to copy; empty if it is not given on this command line. */
    public String prefixOption() {
        return command.commandLine().getParseResult().hasMatchedOption("--key-prefix")
                ? " --key-prefix " + keyPrefix
                : "";
    }

    private static String quoted(String url) {
        if (url.contains("@")) {
            return "URL";
        }
        return PLAIN.matcher(url).matches() ? url : "'" + url.replace("'", "'\\''") + "'";
    }

    private String url() {
        return givenUrl().orElseThrow(() -> wrong("give the Redis: --redis URL, or the variable HEADGATE_REDIS"));
    }

    private Optional<String> givenUrl() {
        return redis.filter(given -> !given.isBlank());
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
