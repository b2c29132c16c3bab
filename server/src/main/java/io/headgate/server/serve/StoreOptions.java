package io.headgate.server.serve;

import io.headgate.limits.Fallback;
import io.headgate.limits.LimiterException;
import io.headgate.queues.QueueException;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.redis.RedisTls;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of {@code headgate serve} for its store: Redis or the memory of the process, timeouts and fallbacks. */
final class StoreOptions {

    @Option(
            names = "--redis",
            paramLabel = "URL",
            defaultValue = "${env:HEADGATE_REDIS}",
            description = {
                "The Redis to count in, such as redis://127.0.0.1:6379; by default, the memory of this process.",
                "The variable HEADGATE_REDIS does the same and keeps a password out of the process list."
            })
    private Optional<String> redis = Optional.empty();

    @Mixin
    private RedisTls tls = new RedisTls();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description =
                    "With --redis: the prefix of every key in Redis, 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or a digit; ${DEFAULT-VALUE} by default.")
    private String keyPrefix = "hg";

    @Option(
            names = "--redis-timeout",
            paramLabel = "TIME",
            defaultValue = "500ms",
            converter = DurationOption.OfRedis.class,
            description = "With --redis: how long a call to Redis may take, from 1ms to 4s;"
                    + " ${DEFAULT-VALUE} by default.")
    private Duration redisTimeout = Duration.ofMillis(500);

    @Option(
            names = "--fallback",
            paramLabel = "MODE",
            defaultValue = "local",
            converter = FallbackOption.class,
            description =
                    "With --redis: how checks are decided while Redis does not answer, unless the policy sets it: "
                            + FallbackOption.EXPECTED + "; ${DEFAULT-VALUE} by default.")
    private Fallback.Mode fallback = Fallback.Mode.LOCAL;

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            converter = DurationOption.OfRedis.class,
            description =
                    "With --redis: how long a check waits for Redis before its fallback decides, from 1ms to 4s; 50ms"
                            + " by default.")
    private Optional<Duration> budget = Optional.empty();

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberOption.OfInstances.class,
            description =
                    "With --redis: the number of servers and applications that share the limits, from 1 to 10000, for a server that starts while Redis does not answer; otherwise Redis provides it;"
                            + " ${DEFAULT-VALUE} by default.")
    private int instances;

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
     * @throws ParameterException when options contradict each other; the message names them
     */
    void check() {
        url().ifPresentOrElse(this::checkWithRedis, this::checkWithoutRedis);
        budget.filter(longest -> longest.compareTo(redisTimeout) > 0).ifPresent(longest -> {
            throw wrong("--budget must be at most the --redis-timeout of " + redisTimeout.toMillis() + "ms, was "
                    + longest.toMillis() + "ms");
        });
    }

    /** The URL of Redis. A variable with an empty value is not set. */
    private Optional<String> url() {
        return redis.filter(given -> !given.isBlank());
    }

    private void checkWithRedis(String url) {
        tls.check(url);
        if (maxKeys.isPresent()) {
            throw wrong("--max-keys cannot be combined with --redis, where Redis counts");
        }
    }

    private void checkWithoutRedis() {
        for (String option : List.of("--key-prefix", "--redis-timeout", "--fallback", "--budget", "--instances")) {
            if (command.commandLine().getParseResult().hasMatchedOption(option)) {
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
     * @param counts receives every decision
     * @throws StartException when Redis does not answer and nothing falls back, or it rejects the connection
     * @throws ParameterException when the URL or the prefix is invalid
     */
    Engine open(Counts counts) {
        Optional<String> url = url();
        if (url.isEmpty()) {
            return Engine.inMemory(counts, maxKeys);
        }
        try {
            return Engine.redis(
                    url.get(), keyPrefix, redisTimeout, new Fallback(fallback, budget), instances, tls, counts);
        } catch (LimiterException | QueueException e) {
            throw StartException.failed(e.getMessage() + "; to count in the server's own memory, omit --redis");
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
