package io.headgate.redis.queues;

import io.headgate.queues.Codec;
import io.headgate.queues.EventStream;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.StreamSettings;
import io.headgate.queues.internal.QueueEvents;
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
import io.headgate.redis.queues.internal.shards.NameRegistry;
import io.headgate.redis.queues.internal.shards.NameRegistry.RegisteredName;
import io.headgate.redis.queues.internal.shards.RedisQueue;
import io.headgate.redis.queues.internal.shards.ShardDirectory;
import io.headgate.redis.queues.internal.shards.ShardMap;
import io.headgate.redis.queues.internal.shards.ShardedQueue;
import io.headgate.redis.queues.internal.stream.StreamEngine;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The engine on Redis: queues that any number of processes share. Due times and leases go by Redis's clock; what is asked
 * is sent at most once.
 *
 * <pre>{@code
 * try (QueueEngine queues = RedisQueueEngine.connect("redis://localhost:6379")) {
 *     JobQueue<String> mails = queues.queue("mails", Codec.text());
 *     mails.enqueue("remember the bill", Duration.ofDays(3));
 * }
 * }</pre>
 *
 * <p>Redis 6.2 or later, or Valkey; one node, a primary that sentinels watch, or a Cluster. One connection serves all threads, of a
 * Cluster one to each master.
 */
public final class RedisQueueEngine implements QueueEngine {

    private static final System.Logger LOG = System.getLogger(RedisQueueEngine.class.getName());

    private final EngineFailures failures = new EngineFailures(QueueFailures.INSTANCE, this::closed);
    private final String keyPrefix;
    private final Duration timeout;
    private final ScriptClock clock;
    private final QueueScripts scripts;
    private final QueueScripts scriptsThatKeep;
    private final List<QueueListener> listeners;
    private final RedisLink link;
    private final Signals signals;
    private final DurableWrites writes;
    private final StreamEngine streams;
    private final NameRegistry names;
    private final NameRegistry streamNames;
    private volatile boolean closed;

    private RedisQueueEngine(Builder builder) {
        this.keyPrefix = builder.connection.keyPrefix();
        this.timeout = builder.connection.timeout();
        this.clock = new ScriptClock(builder.timeMicros);
        this.scripts = new QueueScripts(builder.timeMicros.isPresent());
        this.scriptsThatKeep = new QueueScripts(builder.timeMicros.isPresent(), true);
        this.listeners = List.copyOf(builder.listeners);
        this.link = RedisLinks.open(builder.connection, failures);
        link.unreached()
                .ifPresent(why -> LOG.log(
                        Level.WARNING,
                        "queues in " + link.description() + " fail for now: " + why + "; goes on trying"));
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
    }

    /**
     * Connects.
     *
     * @param url such as {@code redis://localhost:6379}; all forms stand at {@link Builder#url}
     * @throws IllegalArgumentException when the URL is not one
     * @throws QueueException when Redis can't be reached
     */
    public static RedisQueueEngine connect(String url) {
        return builder().url(url).build();
    }

    /** Begins an engine that is made as told. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public <T> JobQueue<T> queue(QueueSettings settings, Codec<T> codec) {
        requireOpen();
        Writes to = writes.of(settings.durability());
        QueueEvents events = new QueueEvents(listeners, new QueueListener.Source.OfQueue(settings.name()));
        ShardDirectory<T> shards = new ShardDirectory<>(
                new RegisteredName(settings.name(), settings.shards()),
                names,
                failures,
                count -> new ShardMap<>(IntStream.range(0, count)
                        .mapToObj(shard ->
                                shard(ShardMap.shardSettings(settings, count, shard), shard, codec, to, events))
                        .toList()),
                events);
        String header = new QueueKeys(keyPrefix, settings.name()).header();
        BlockingCalls ofOneCall = new BlockingCalls(writes.longest(settings.durability()), failures, header);
        return new RedisQueue<>(new ShardedQueue<>(settings, shards), ofOneCall);
    }

    private <T> RedisAsyncJobQueue<T> shard(
            QueueSettings settings, int shard, Codec<T> codec, Writes to, QueueEvents events) {
        QueueScripts own = settings.keepDone().isAny() ? scriptsThatKeep : scripts;
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

    /** Whether a call failed as its {@linkplain QueueException#key() key} holds a value that Headgate did not store; other keys may work. */
    public static boolean isForeignValue(QueueException failure) {
        return RedisProblems.isOfKey(failure.problem());
    }

    /** Where the jobs are kept, for logs and pages: without a password. */
    public String description() {
        return link.description();
    }

    private void requireOpen() {
        failures.closed().ifPresent(problem -> {
            throw problem;
        });
    }

    private Optional<RuntimeException> closed(@Nullable Throwable cause) {
        return closed
                ? Optional.of(new IllegalStateException("queues on " + description() + " are closed", cause))
                : Optional.empty();
    }

    /**
     * Closes the connection, and the client if it is not the application's own; {@link QueueEngine#close()} says what calls do from
     * then on. A call in flight that ends with an {@link IllegalStateException} has as its cause the {@link QueueException} that
     * says whether it {@linkplain QueueException#mayBeDone() may be done}.
     */
    @Override
    public void close() {
        closed = true;
        signals.close();
        link.close();
    }

    /** Collects what an engine on Redis is made of. Not safe for use by several threads. */
    public static final class Builder {

        private final ConnectionSettings connection = new ConnectionSettings();
        private final List<QueueListener> listeners = new ArrayList<>();
        private Optional<LongSupplier> timeMicros = Optional.empty();

        private Builder() {}

        /**
         * Connects there; {@code redis://localhost:6379} by default.
         *
         * @param url {@code redis://[[user]:password@]host[:port][/database]}; {@code rediss://} with TLS; {@code
         *     redis-sentinel://[[user]:password@]host[:port],host[:port]...[/database]#name} for the primary that sentinels
         *     know by that name; {@code redis-cluster://[[user]:password@]host[:port],host[:port]...} for a Cluster, of which
         *     it names some nodes; {@code rediss-sentinel://} and {@code rediss-cluster://} with TLS. Options follow {@code ?}: {@code clientName=...}, {@code timeout=5s} for connecting,
         *     {@code verifyPeer=FULL|CA|NONE}
         * @throws IllegalArgumentException when it is none of these
         */
        public Builder url(String url) {
            connection.url(url);
            return this;
        }

        /**
         * With TLS, trusts whom these certificates vouch for, and nobody else; those that the JVM trusts by default. They are read
         * anew for each connection.
         *
         * @param pem a file of certificates
         * @throws IllegalArgumentException when it can't be read
         */
        public Builder trustedCertificates(Path pem) {
            connection.trustedCertificates(pem);
            return this;
        }

        /**
         * With TLS, shows this certificate to a Redis that asks for one; none by default. It is read anew for each connection.
         *
         * @param pem a file of the certificate and those that vouch for it
         * @param key a file of its key, PKCS 8 without a password
         * @throws IllegalArgumentException when one can't be read
         */
        public Builder clientCertificate(Path pem, Path key) {
            connection.clientCertificate(pem, key);
            return this;
        }

        /**
         * Opens its connection from the application's own client, which stays the application's to shut down. Whatever
         * that client's options, calls of this engine are never sent twice.
         */
        public Builder client(RedisClient own) {
            connection.client(own);
            return this;
        }

        /**
         * Connects to the Cluster that the application's own client knows, by its options and on its threads, but over connections of
         * its own to the masters; the client stays the application's to shut down.
         */
        public Builder client(RedisClusterClient own) {
            connection.client(own);
            return this;
        }

        /**
         * Begins every key with this; {@code hg} by default. 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or
         * digit.
         */
        public Builder keyPrefix(String prefix) {
            connection.keyPrefix(prefix);
            return this;
        }

        /** Gives up an answer after so long: 1 ms to 1 minute; 500 ms by default. */
        public Builder timeout(Duration longest) {
            connection.timeout(longest);
            return this;
        }

        /** Tells this listener, too, what becomes of jobs: of those of queues, and of entries of streams and their groups. */
        public Builder listener(QueueListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Whether {@link #build} fails when Redis can't be reached, and so do queues, streams and groups of a {@linkplain
         * io.headgate.queues.Durability durability} when they are made; it does by default. Else connections are made in the
         * background, and until then all that is asked fails with a {@link QueueException}; workers that are started wait. A Redis that is
         * there and refuses the user, the password or the database, or is not trusted, or can't confirm what is asked of it, is an
         * error in either case.
         */
        public Builder requireConnection(boolean required) {
            connection.requireConnection(required);
            return this;
        }

        /** Goes by a time that is passed in instead of Redis's own; for tests of the scripts. */
        Builder timeMicros(LongSupplier source) {
            this.timeMicros = Optional.of(source);
            return this;
        }

        /**
         * Connects, and returns the engine; gives up after 5 seconds, or whatever the URL or the application's own client says.
         *
         * @throws IllegalStateException when both a URL and a client were given, or certificates without a URL for TLS
         * @throws QueueException when Redis can't be reached and is {@linkplain #requireConnection required}, or refuses
         */
        public RedisQueueEngine build() {
            return new RedisQueueEngine(this);
        }
    }
}
