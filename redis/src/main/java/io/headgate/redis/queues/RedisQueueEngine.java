package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.EngineFailures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.queues.internal.durability.DurableWrites;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.QueueFailures;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.job.ScriptClock;
import io.headgate.redis.queues.internal.queue.GroupQueues;
import io.headgate.redis.queues.internal.queue.QueuePlanner;
import io.headgate.redis.queues.internal.queue.QueueScripts;
import io.headgate.redis.queues.internal.queue.RedisAsyncJobQueue;
import io.headgate.redis.queues.internal.queue.ScriptChoice;
import io.headgate.redis.queues.internal.shards.NameRegistry;
import io.headgate.redis.queues.internal.shards.NameRegistry.RegisteredName;
import io.headgate.redis.queues.internal.shards.RedisQueue;
import io.headgate.redis.queues.internal.shards.ShardDirectory;
import io.headgate.redis.queues.internal.shards.ShardMap;
import io.headgate.redis.queues.internal.shards.ShardedQueue;
import io.headgate.redis.queues.internal.stream.StreamEngine;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A queue engine on Redis: any number of processes share its queues. Due times and leases are measured by Redis's clock. Each call is
 * executed at most once.
 *
 * <pre>{@code
 * try (QueueEngine queues = RedisQueueEngine.connect("redis://localhost:6379")) {
 *     JobQueue<String> mails = queues.queue("mails", Codec.text());
 *     mails.enqueue("remember the bill", Duration.ofDays(3));
 * }
 * }</pre>
 *
 * <p>It needs Redis 6.2 or later, or Valkey: one node, a primary that sentinels watch, or a Cluster. All threads share one
 * connection; in a Cluster, one connection to each master.
 */
public final class RedisQueueEngine implements QueueEngine {

    private static final System.Logger LOG = System.getLogger(RedisQueueEngine.class.getName());

    private final EngineFailures failures = new EngineFailures(QueueFailures.INSTANCE, this::closed);
    private final String keyPrefix;
    private final Duration timeout;
    private final ScriptClock clock;
    private final QueueScripts scripts;
    private final QueueScripts retentionScripts;
    private final QueueScripts tenantScripts;
    private final QueueScripts tenantRetentionScripts;
    private final CopyOnWriteArrayList<QueueListener> listeners;
    private final HealthWatch health;
    private final RedisLink link;
    private final Signals signals;
    private final DurableWrites writes;
    private final StreamEngine streams;
    private final NameRegistry names;
    private final NameRegistry streamNames;
    private final AtomicBoolean closed = new AtomicBoolean();

    private RedisQueueEngine(Builder builder) {
        this.keyPrefix = builder.settings.keyPrefix();
        this.timeout = builder.settings.timeout();
        this.clock = new ScriptClock(builder.timeMicros);
        this.scripts = new QueueScripts(builder.timeMicros.isPresent());
        this.retentionScripts = new QueueScripts(builder.timeMicros.isPresent(), true, false);
        this.tenantScripts = new QueueScripts(builder.timeMicros.isPresent(), false, true);
        this.tenantRetentionScripts = new QueueScripts(builder.timeMicros.isPresent(), true, true);
        this.listeners = new CopyOnWriteArrayList<>(builder.listeners);
        this.link = RedisLinks.open(new ConnectionSettings(builder.settings), failures);
        link.unreached()
                .ifPresent(why -> LOG.log(
                        Level.WARNING, "queues in " + link.description() + " fail for now: " + why + "; retrying"));
        this.health = new HealthWatch(link, listeners);
        this.signals = new Signals(link);
        this.writes = new DurableWrites(link, timeout, failures);
        this.names = NameRegistry.ofQueues(keyPrefix, scripts, link.executor());
        this.streamNames = NameRegistry.ofStreams(keyPrefix, scripts, link.executor());
        this.streams = new StreamEngine(
                keyPrefix,
                failures,
                link.executor(),
                new GroupQueues(scripts, link.executor(), writes, signals, listeners),
                streamNames::registration);
        if (!listeners.isEmpty()) {
            health.start();
        }
    }

    /**
     * Connects with the default settings.
     *
     * @param url such as {@code redis://localhost:6379}; {@link RedisSettings#of(String)} lists all forms
     * @throws IllegalArgumentException when the URL has none of these forms
     * @throws QueueException when Redis can't be reached, or rejects the connection, for example because of a wrong password
     */
    public static RedisQueueEngine connect(String url) {
        return builder(url).build();
    }

    /**
     * Connects with these settings.
     *
     * @throws QueueException when Redis rejects the connection, or when it can't be reached and the settings {@linkplain
     *     RedisSettings#withRequiredConnection require} a connection
     */
    public static RedisQueueEngine connect(RedisSettings settings) {
        return builder(settings).build();
    }

    /**
     * Returns a builder of an engine with the default settings of a connection.
     *
     * @param url such as {@code redis://localhost:6379}; {@link RedisSettings#of(String)} lists all forms
     * @throws IllegalArgumentException when the URL has none of these forms
     */
    public static Builder builder(String url) {
        return builder(RedisSettings.of(url));
    }

    /** Returns a builder of an engine that connects with these settings. */
    public static Builder builder(RedisSettings settings) {
        return new Builder(Objects.requireNonNull(settings, "settings"));
    }

    @Override
    public <T> JobQueue<T> queue(QueueSettings settings, Codec<T> codec) {
        requireOpen();
        Writes to = writes.of(settings.durability());
        QueueEvents events = new QueueEvents(listeners, new QueueListener.Source.OfQueue(settings.name()));
        ScriptChoice choice = scripts(settings.keepDone().isAny());
        ShardDirectory<T> shards = new ShardDirectory<>(
                new RegisteredName(settings.name(), settings.shards(), false),
                names,
                failures,
                count -> new ShardMap<>(IntStream.range(0, count)
                        .mapToObj(shard ->
                                shard(ShardMap.shardSettings(settings, count, shard), shard, choice, codec, to, events))
                        .toList()),
                choice,
                events);
        String header = new QueueKeys(keyPrefix, settings.name()).header();
        BlockingCalls ofOneCall = new BlockingCalls(writes.callTimeout(settings.durability()), failures, header);
        return new RedisQueue<>(new ShardedQueue<>(settings, shards), ofOneCall);
    }

    private ScriptChoice scripts(boolean keeping) {
        return keeping
                ? new ScriptChoice(retentionScripts, tenantRetentionScripts)
                : new ScriptChoice(scripts, tenantScripts);
    }

    private <T> RedisAsyncJobQueue<T> shard(
            QueueSettings settings, int shard, ScriptChoice own, Codec<T> codec, Writes to, QueueEvents events) {
        QueuePlanner planner = new QueuePlanner(settings, new QueueKeys(keyPrefix, settings.name(), shard), own, clock);
        return new RedisAsyncJobQueue<>(planner, codec, link.executor(), to, signals, events);
    }

    @Override
    public <T> EventStream<T> stream(StreamSettings settings, Codec<T> codec) {
        requireOpen();
        return streams.stream(settings, codec);
    }

    @Override
    public List<String> names() {
        return names.list(timeout, failures);
    }

    @Override
    public List<String> streamNames() {
        return streamNames.list(timeout, failures);
    }

    @Override
    public QueueHealth health() {
        return health.health();
    }

    @Override
    public void addListener(QueueListener listener) {
        listeners.addIfAbsent(Objects.requireNonNull(listener, "listener"));
        health.start();
    }

    @Override
    public void removeListener(QueueListener listener) {
        listeners.remove(listener);
    }

    /**
     * Whether a call failed because its {@linkplain QueueException#key() key} holds a value that Headgate did not store; calls to other
     * keys may succeed.
     */
    public static boolean isForeignValue(QueueException failure) {
        return RedisProblems.concernsOneKey(failure.problem());
    }

    /** The Redis that stores the jobs, for logs and pages; contains no password. */
    public String description() {
        return link.description();
    }

    private void requireOpen() {
        failures.closed().ifPresent(problem -> {
            throw problem;
        });
    }

    private Optional<RuntimeException> closed(@Nullable Throwable cause) {
        return closed.get()
                ? Optional.of(new IllegalStateException("queues on " + description() + " are closed", cause))
                : Optional.empty();
    }

    /**
     * Closes the connection, and the client unless it is the application's own. {@link QueueEngine#close()} describes the effect on
     * calls. A call in flight may end with an {@link IllegalStateException}, whose cause is a {@link QueueException} that states whether
     * the call {@linkplain QueueException#mayBeDone() may be done}.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            closeQuietly(health);
            closeQuietly(signals);
            closeQuietly(link);
        }
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "closing a connection failed", e);
        }
    }

    /** Builds an engine. Not safe for use by several threads. */
    public static final class Builder {

        private final RedisSettings settings;
        private final List<QueueListener> listeners = new ArrayList<>();
        private Optional<LongSupplier> timeMicros = Optional.empty();

        private Builder(RedisSettings settings) {
            this.settings = settings;
        }

        /** Adds a listener. It is notified of operations on queues, streams and groups of this engine. */
        public Builder listener(QueueListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** Passes the time to scripts instead of the time of Redis; for tests. */
        Builder timeMicros(LongSupplier source) {
            this.timeMicros = Optional.of(source);
            return this;
        }

        /**
         * Connects, and returns the engine. Gives up after 5 seconds, or after the timeout that the URL or the application's client
         * sets.
         *
         * @throws QueueException when Redis rejects the connection, or when it can't be reached and the settings {@linkplain
         *     RedisSettings#withRequiredConnection require} a connection
         */
        public RedisQueueEngine build() {
            return new RedisQueueEngine(this);
        }
    }
}
