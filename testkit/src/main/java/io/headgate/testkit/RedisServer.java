package io.headgate.testkit;

import io.headgate.testkit.internal.RedisUrl;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A real Redis for tests and demos, on 127.0.0.1 only.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start()) {
 *     connect(redis.url());
 * }
 * }</pre>
 *
 * <p>{@link #start()} and {@link #shared()} return a given Redis if the system property {@value #URL_PROPERTY} or the environment variable
 * {@value #URL_VARIABLE} has its URL. Otherwise, and always in {@link #startOwn(String...)}, a server is started:
 * {@code redis-server} or {@code valkey-server} from the PATH, or else the Redis 6.2 from the jar
 * {@code com.github.codemonstur:embedded-redis}, which on Linux needs glibc and libssl 3. The system property
 * {@code headgate.test.redis.source} selects {@code path} or {@code jar}.
 *
 * <p>A started server has a free port, no persistence by default, and a temporary folder. Closing it, and the end of the JVM, kill
 * it and delete its files, even when the JVM is killed (SIGKILL). After a crash of the machine or the container, the next start
 * deletes them. A given server stays as it is, as it may have data of others.
 *
 * <p>The methods that kill, pause and restart are for one thread at a time.
 */
public final class RedisServer implements AutoCloseable {

    /** The system property that gives the URL of a Redis that already runs. */
    public static final String URL_PROPERTY = "headgate.test.redis";

    /** The environment variable that gives the URL of a Redis that already runs; the property overrides it. */
    public static final String URL_VARIABLE = "HEADGATE_TEST_REDIS";

    private static final Logger LOG = System.getLogger(RedisServer.class.getName());

    // Not a class initializer: when it fails, each test must see the cause, and not only the first.
    private static final ReentrantLock SHARED_LOCK = new ReentrantLock();
    private static Optional<RedisServer> sharedServer = Optional.empty();

    private final String url;
    private final Optional<RedisProcess> process;
    private final boolean shared;

    private RedisServer(String url, Optional<RedisProcess> process, boolean shared) {
        this.url = url;
        this.process = process;
        this.shared = shared;
    }

    /**
     * Returns the given Redis, or starts one if none is given.
     *
     * @throws IllegalStateException when none can be started; the message has what to install
     * @throws IllegalArgumentException when the given URL or a property is invalid
     */
    public static RedisServer start() {
        return open(false);
    }

    /**
     * Starts a server even if a URL is given: for tests that kill or pause it, or pass arguments such as {@code "--appendonly",
     * "yes"}, which override the defaults.
     *
     * @throws IllegalStateException when it does not start; the message has its output, or what to install
     */
    public static RedisServer startOwn(String... extraArguments) {
        return startOwnUnder(List.of(), extraArguments);
    }

    /**
     * Starts a server as {@link #startOwn(String...)} does, through a launcher that replaces itself with the server (exec), such as
     * {@code List.of("env", "TZ=UTC")}: for tests in an unusual environment.
     *
     * @throws IllegalStateException when it does not start, or not under the id of the process that was started
     */
    public static RedisServer startOwnUnder(List<String> launcher, String... extraArguments) {
        return started(List.copyOf(launcher), RedisRole.server(List.of(extraArguments)), false);
    }

    /** Starts a server of a Cluster or a Sentinel deployment. */
    static RedisServer startOwn(RedisRole role) {
        return started(List.of(), role, false);
    }

    /**
     * The shared Redis of this JVM: the given one, or one that the first call starts and that ends with the JVM. It is for suites whose
     * tests use keys of their own. Closing it does nothing, and it cannot be killed or paused.
     */
    public static RedisServer shared() {
        SHARED_LOCK.lock();
        try {
            RedisServer server = sharedServer.orElseGet(() -> open(true));
            sharedServer = Optional.of(server);
            return server;
        } finally {
            SHARED_LOCK.unlock();
        }
    }

    /** The URL to connect to: {@code redis://127.0.0.1:port}, or the given one. */
    public String url() {
        return url;
    }

    /** The port of {@link #url()}. */
    public int port() {
        return RedisUrl.parse(url).port();
    }

    /** The program, its version and its source, such as {@code redis-server 7.0.15 from PATH}; without secrets. */
    public String description() {
        return process.map(RedisProcess::description)
                .orElseGet(() -> "Redis at " + RedisUrl.parse(url).withoutCredentials());
    }

    /** Whether it was started by this caller and is not shared, so that it can be killed, paused and restarted. */
    public boolean isOwn() {
        return process.isPresent() && !shared;
    }

    /**
     * Whether its process exists, running or paused.
     *
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own}
     */
    public boolean isAlive() {
        return own("watched").isAlive();
    }

    /**
     * Kills it immediately (SIGKILL). Its files remain, so it can be {@linkplain #restart() restarted}.
     *
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own}
     */
    public void kill() {
        own("killed").kill();
    }

    /**
     * Suspends it immediately (SIGSTOP): connections stay open and receive no answer.
     *
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own} or has ended
     */
    public void pause() {
        own("paused").pause();
    }

    /**
     * Continues it after {@link #pause()} (SIGCONT).
     *
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own}
     */
    public void resume() {
        own("resumed").resume();
    }

    /**
     * Starts it again on the same port, with the same files and arguments, and returns when it serves. If it still runs, it is shut
     * down first. It has the data that it stored in files: by default none.
     *
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own} or does not start
     */
    public void restart() {
        own("restarted").restart();
    }

    /**
     * Starts it again on the same port and with the same files, and does not wait until it has loaded its data. Call {@link #kill()}
     * first.
     *
     * @param furtherArguments arguments of this start, in addition to those of the first start
     * @throws IllegalStateException when it is not {@linkplain #isOwn() own}
     */
    public void restartLoading(List<String> furtherArguments) {
        own("restarted").launchAgain(furtherArguments);
    }

    /** Kills it and deletes its files if it is {@linkplain #isOwn() own}; otherwise does nothing. */
    @Override
    public void close() {
        if (!shared) {
            process.ifPresent(RedisProcess::close);
        }
    }

    @Override
    public String toString() {
        return description();
    }

    private static RedisServer open(boolean shared) {
        return givenUrl().map(url -> given(url, shared)).orElseGet(() -> startedUnlessGiven(shared));
    }

    private static RedisServer startedUnlessGiven(boolean shared) {
        try {
            return started(List.of(), RedisRole.server(List.of()), shared);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    e.getMessage() + System.lineSeparator() + "Or name one that runs: -D" + URL_PROPERTY
                            + "=redis://host:port, or the variable " + URL_VARIABLE + ".",
                    e);
        }
    }

    private static RedisServer given(String url, boolean shared) {
        RedisUrl.parse(url); // rejects a wrong URL here
        return new RedisServer(url, Optional.empty(), shared);
    }

    private static RedisServer started(List<String> launcher, RedisRole role, boolean shared) {
        RedisProcess process = RedisProcess.start(launcher, role);
        RedisServer server = new RedisServer("redis://127.0.0.1:" + process.port(), Optional.of(process), shared);
        LOG.log(Level.INFO, "{0} started for tests and demos, on loopback only: {1}", server, server.url());
        return server;
    }

    private static Optional<String> givenUrl() {
        return Optional.ofNullable(System.getProperty(URL_PROPERTY))
                .or(() -> Optional.ofNullable(System.getenv(URL_VARIABLE)))
                .filter(url -> !url.isBlank());
    }

    private RedisProcess own(String done) {
        if (shared) {
            throw new IllegalStateException(
                    "the shared Redis serves others and can't be " + done + ": use RedisServer.startOwn()");
        }
        return process.orElseThrow(() -> new IllegalStateException(description() + " was given by " + URL_PROPERTY
                + " or " + URL_VARIABLE + " and can't be " + done + " here: use RedisServer.startOwn()"));
    }
}
