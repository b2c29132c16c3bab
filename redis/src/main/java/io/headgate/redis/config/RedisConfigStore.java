package io.headgate.redis.config;

import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.EngineFailures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stores a configuration in Redis, such as the policies of servers. Each version has a number, and is written only if the current
 * version is the expected one. Redis keeps the last 100 versions, or fewer if their texts have more than 64 MiB, but at least the last two.
 *
 * <p>Instances report which version they run.
 *
 * <p>The key is {@code hg:config:NAME}, a hash, which has no expiry. The reports have the keys {@code hg:config:NAME:instances} and
 * {@code hg:config:NAME:previews}. Requires Redis 6.2 or later, or Valkey: a single node, a primary with
 * Sentinel, or a Cluster. Safe for use by any number of threads. Methods block until Redis replies, at most for the timeout of the settings
 * or for 5 seconds, whichever is longer, and half a second.
 */
public final class RedisConfigStore implements AutoCloseable {

    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(5);
    private static final long LEAVE_MILLIS = 500;

    /** How many of all reports the script reads at once. Previews are larger. */
    private static final int REPORTS_AT_ONCE = 1000;

    private static final int PREVIEWS_AT_ONCE = 10;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");
    private static final Pattern ID = Pattern.compile("([1-9][0-9]{0,14})(-[0-9a-f]+)?");

    private final String key;
    private final ConfigScripts scripts;
    private final RedisLink link;
    private final Signals signals;
    private final BlockingCalls calls;
    private final ConfigReports reports;
    private final ConfigReports previews;
    private final ConfigShadow shadow;
    private final ConfigWatch watch;
    private volatile boolean closed;

    private RedisConfigStore(RedisSettings settings, String name, long maxBytesOfAll) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name must be 1 to 64 of a-z 0-9 - and begin with a letter, was \"" + name + "\"");
        }
        this.key = settings.keyPrefix() + ":config:" + name;
        this.scripts = new ConfigScripts(key, key, maxBytesOfAll);
        Duration timeout = settings.timeout().compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : settings.timeout();
        EngineFailures failures = new EngineFailures(ConfigFailures.INSTANCE, this::whenClosed);
        this.link = RedisLinks.open(new ConnectionSettings(settings.withTimeout(timeout), false, timeout), failures);
        this.signals = new Signals(link);
        this.calls = new BlockingCalls(timeout, failures, key);
        String id = UUID.randomUUID().toString();
        this.reports = new ConfigReports(key + ":instances", id);
        this.previews = new ConfigReports(key + ":previews", id);
        this.shadow = new ConfigShadow(key + ":shadow", key, this::await);
        this.watch = new ConfigWatch(this::currentId, shadow::currentId, this::writeReport);
    }

    /**
     * Connects. While Redis can't be reached, the store connects in the background, and its calls fail.
     *
     * @param name the name of the configuration: 1 to 64 of {@code a-z 0-9 -}, the first a letter
     * @throws IllegalArgumentException if the name has another form
     * @throws ConfigStoreException if Redis rejects the user, the password or the database, or its certificate is not trusted
     */
    public static RedisConfigStore connect(RedisSettings settings, String name) {
        return connect(settings, name, ConfigScripts.MAX_BYTES_OF_ALL);
    }

    static RedisConfigStore connect(RedisSettings settings, String name, long maxBytesOfAll) {
        return new RedisConfigStore(settings, name, maxBytesOfAll);
    }

    private Optional<RuntimeException> whenClosed(Object cause) {
        return closed
                ? Optional.of(new ConfigStoreException("the store of " + key + " is closed", false, null))
                : Optional.empty();
    }

    /** The key of the configuration. */
    public String key() {
        return key;
    }

    /** The address of the Redis for logs, without the password. */
    public String description() {
        return link.description();
    }

    /**
     * Returns the current version without its texts; empty if there is none.
     *
     * @throws ConfigStoreException if Redis does not reply
     */
    public Optional<ConfigVersion> current() {
        return await("read", scripts.current());
    }

    /**
     * Returns the current version; empty if there is none.
     *
     * @throws ConfigStoreException if Redis does not reply
     */
    public Optional<StoredConfig> read() {
        return await("read", scripts.find(Optional.empty()));
    }

    /**
     * Returns a version; empty if there was none, or it is no longer kept.
     *
     * @param id the id of the version, or its number
     * @throws IllegalArgumentException if the id has another form
     * @throws ConfigStoreException if Redis does not reply
     */
    public Optional<StoredConfig> find(String id) {
        Matcher parts = ID.matcher(id);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "a version must be a number such as 17, or an id such as 17-3c9f0b6a41de, was \"" + id + "\"");
        }
        return await("read", scripts.find(Optional.of(parts.group(1))))
                .filter(found -> parts.group(2) == null || found.version().id().equals(id));
    }

    /**
     * Returns the last versions without their texts, the current one first.
     *
     * @param max 1 to 100
     * @throws ConfigStoreException if Redis does not reply
     */
    public List<ConfigVersion> history(int max) {
        if (max < 1 || max > ConfigScripts.MAX_VERSIONS) {
            throw new IllegalArgumentException("max must be from 1 to " + ConfigScripts.MAX_VERSIONS + ", was " + max);
        }
        return await("history", scripts.history(max));
    }

    /**
     * Writes a version if the current one is the expected one.
     *
     * @param replaces the id of the expected current version; empty if there must be none
     * @throws ConfigStoreException if Redis does not reply, or rejects the call; {@link ConfigStoreException#mayBeWritten} returns whether
     *     the version may have been written
     */
    public ConfigWrite write(ConfigDraft draft, Optional<String> replaces) {
        return await(ConfigScripts.WRITE_OPERATION, scripts.write(draft, replaces));
    }

    private <T> T await(String operation, ScriptCall<T> call) {
        return calls.await(operation, () -> link.executor().execute(call));
    }

    /**
     * Returns the id of the current version; empty if there is none.
     *
     * @throws ConfigStoreException if Redis does not reply
     */
    public Optional<String> currentId() {
        return await("read", scripts.currentId());
    }

    /**
     * Notifies of changes, usually within some milliseconds, and within a second if a message of Redis is lost. Also notifies at the start,
     * when Redis stops replying, when it replies again, and every five seconds in any case. Call it once.
     *
     * @param changed is called on a thread of the store, one call at a time
     * @throws IllegalStateException if it was called before, or the store is closed
     */
    public void watch(Runnable changed) {
        watch.start(Objects.requireNonNull(changed, "changed"));
        signals.listen(key, message -> watch.wake());
    }

    /** Returns the shadow version. Watching the store also notifies of its changes. */
    public ConfigShadow shadow() {
        return shadow;
    }

    private void writeReport(boolean inAnyCase) {
        for (ConfigReports each : List.of(reports, previews)) {
            if (inAnyCase || each.isUrgent()) {
                each.write().ifPresent(call -> each.confirm(await(call.script().name(), call)));
            }
        }
    }

    /**
     * Sets which version this instance runs. While the store is watched, Redis has the report soon, until the store is closed, or for up to
     * 20 seconds after the process ended otherwise.
     */
    public void report(InstanceReport report) {
        reports.set(Optional.of(ConfigReports.text(report)));
        previews.set(report.preview());
        watch.wake();
    }

    /**
     * Returns the reports of all instances without their previews, by name; up to 10 000.
     *
     * @throws ConfigStoreException if Redis does not reply
     */
    public List<InstanceReport> instances() {
        return ConfigReports.combined(await("instances", reports.all(REPORTS_AT_ONCE)), List.of());
    }

    /**
     * Returns the same reports with their previews; up to 8 MiB of previews, which are those that were written first.
     *
     * @throws ConfigStoreException if Redis does not reply
     */
    public List<InstanceReport> previews() {
        List<String> all = await("instances", reports.all(REPORTS_AT_ONCE));
        return ConfigReports.combined(all, await("instances", previews.all(PREVIEWS_AT_ONCE)));
    }

    /** Ends the notifications, removes the report, and closes the connections. If Redis does not reply, it waits up to a second. A second call has no effect. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        watch.close();
        reports.leave().ifPresent(this::leave);
        previews.leave().ifPresent(this::leave);
        signals.close();
        link.close();
    }

    /** Removes the report. If this fails, or the watch writes a last one at the same time, it expires. */
    private void leave(ScriptCall<?> call) {
        try {
            link.executor().execute(call).get(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The report expires.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
