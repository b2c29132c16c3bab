package io.headgate.redis;

import io.headgate.limits.DecisionListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Limits;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.DecisionListeners;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The engine on Redis: limits that any number of processes share. A decision is one script call, decided by Redis's
 * clock; it is sent at most once.
 *
 * <pre>{@code
 * try (Limits limits = RedisLimits.connect("redis://localhost:6379")) {
 *     Limiter logins = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
 *     Decision decision = logins.tryAcquire("alice");
 * }
 * }</pre>
 *
 * <p>Redis 6.2 or later, or Valkey; one node. One connection serves all threads.
 */
public final class RedisLimits implements Limits {

    private static final Pattern IPV6 = Pattern.compile("\\[?[0-9A-Fa-f:.]+(%\\w+)?]?");

    private final Keys keys;
    private final Scripts scripts;
    private final Duration timeout;
    private final DecisionListeners listeners;
    private final Optional<TimeSource> time;
    private final @Nullable RedisClient ownClient;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final LettuceExecutor executor;
    private final String description;

    private RedisLimits(Builder builder) {
        this.keys = new Keys(builder.keyPrefix);
        this.timeout = builder.timeout;
        this.listeners = new DecisionListeners(builder.listeners);
        this.time = builder.time;
        this.scripts = new Scripts(time.isPresent());
        this.ownClient = builder.client == null ? OwnClient.of(builder.uri, builder.silence()) : null;
        this.description = builder.client == null ? address(builder.uri) : "Redis, by the application's client";
        this.connection = connect(ownClient == null ? Objects.requireNonNull(builder.client) : ownClient);
        this.executor = new LettuceExecutor(connection, timeout, builder.maxCallsUnderWay);
    }

    /**
     * Connects to one Redis.
     *
     * @param url such as {@code redis://localhost:6379} or {@code rediss://user:password@host:port/database}
     * @throws IllegalArgumentException when the URL is not one
     * @throws LimiterException when Redis can't be reached
     */
    public static RedisLimits connect(String url) {
        return builder().url(url).build();
    }

    /** Begins an engine that is made as told. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Limiter limiter(Policy policy) {
        Function<Policy, PolicyPlanner> planners = version -> new PolicyPlanner(version, keys, scripts, time);
        return new RedisLimiter(new RedisAsyncLimiter(policy, planners, executor, listeners), timeout);
    }

    /** Completes when Redis answers; fails with a {@link LimiterException} when it does not within the time-out. */
    public CompletionStage<Void> ping() {
        ScriptCall<byte[]> ping = new ScriptCall<>(scripts.ping(), new String[0], new byte[0][], reply -> reply);
        return executor.execute(ping).thenAccept(pong -> {});
    }

    /** Where the limits are kept, for logs and pages: without a password. */
    public String description() {
        return description;
    }

    /** How many calls Redis still has to answer, those included whose callers have given up. */
    int callsUnderWay() {
        return executor.underWay();
    }

    /** Closes the connection, and the client if it is not the application's own. Calls under way fail. */
    @Override
    public void close() {
        connection.close();
        if (ownClient != null) {
            OwnClient.shutdown(ownClient);
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect(RedisClient client) {
        try {
            return client.connect(ByteArrayCodec.INSTANCE);
        } catch (RedisException | IllegalStateException e) {
            if (ownClient != null) {
                OwnClient.shutdown(ownClient);
            }
            throw new LimiterException("connect", description, RedisProblems.describeConnect(e), false, e);
        }
    }

    private static String address(RedisURI uri) {
        return (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort()
                + (uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase());
    }

    /** The client library takes a port that is no number for a part of the host's name, and has no host for several. */
    private static RedisURI oneNode(RedisURI uri) {
        String host = uri.getHost();
        if (host == null || (host.contains(":") && !IPV6.matcher(host).matches())) {
            throw new IllegalArgumentException(
                    "url must be redis://[[user]:password@]host[:port][/database], or rediss://; its host was " + host);
        }
        return uri;
    }

    /** Collects what an engine on Redis is made of. Not safe for use by several threads. */
    public static final class Builder {

        private RedisURI uri = RedisURI.create("redis://localhost:6379");
        private boolean urlGiven;
        private @Nullable RedisClient client;
        private int maxCallsUnderWay = 16_384;
        private String keyPrefix = "hg";
        private Duration timeout = Duration.ofMillis(500);
        private Duration leastSilence = Duration.ofSeconds(5);
        private Optional<TimeSource> time = Optional.empty();
        private final List<DecisionListener> listeners = new ArrayList<>();

        private Builder() {}

        /** Connects there; {@code redis://localhost:6379} unless told. */
        public Builder url(String url) {
            this.uri = oneNode(RedisURI.create(url));
            this.urlGiven = true;
            return this;
        }

        /**
         * Opens its connection from the application's own client, which stays the application's to shut down. Whatever
         * that client's options, calls of this engine are never sent twice. Its time-out does not apply to them, but a
         * fixed one or a source of time-outs in its {@code TimeoutOptions} does: what that gives up no longer counts
         * for {@link #maxCallsUnderWay}.
         */
        public Builder client(RedisClient own) {
            this.client = Objects.requireNonNull(own, "client");
            return this;
        }

        /** Begins every key with this; {@code hg} unless told. 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first
         * a letter or digit. */
        public Builder keyPrefix(String prefix) {
            this.keyPrefix = prefix;
            return this;
        }

        /** Gives up an answer after so long: 1 ms to 1 minute; 500 ms unless told. */
        public Builder timeout(Duration longest) {
            if (longest.compareTo(Duration.ofMillis(1)) < 0 || longest.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new IllegalArgumentException("timeout must be from 1 ms to 1 minute, was " + longest);
            }
            this.timeout = longest;
            return this;
        }

        /**
         * Lets so many calls wait for Redis at once, those included whose callers have given up: 1 to 1 000 000; 16 384
         * unless told. One more fails at once, and is not sent. So a Redis that hangs takes no more memory than they do,
         * and has no more to do when it goes on.
         */
        public Builder maxCallsUnderWay(int calls) {
            this.maxCallsUnderWay = (int) Bounds.inRange("maxCallsUnderWay", calls, 1, 1_000_000);
            return this;
        }

        /** Tells every decision to this listener, too. */
        public Builder listener(DecisionListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** After so long without a reply, but no less than the time-out, the connection is in doubt; for tests. */
        Builder leastSilence(Duration least) {
            this.leastSilence = least;
            return this;
        }

        private Duration silence() {
            return timeout.compareTo(leastSilence) > 0 ? timeout : leastSilence;
        }

        /** Decides by a time that is passed in instead of Redis's own; for tests of the scripts. */
        Builder time(TimeSource source) {
            this.time = Optional.of(source);
            return this;
        }

        /**
         * Connects, and returns the engine; gives up after 5 seconds, or whatever the application's own client says.
         *
         * @throws IllegalStateException when both a URL and a client were given
         * @throws LimiterException when Redis can't be reached
         */
        public RedisLimits build() {
            if (urlGiven && client != null) {
                throw new IllegalStateException("give either a url or a client, which has a URL of its own; not both");
            }
            return new RedisLimits(this);
        }
    }
}
