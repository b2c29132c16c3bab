package io.headgate.config.consul;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoreWatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.kiwiproject.consul.model.ConsulResponse;
import org.kiwiproject.consul.model.kv.Value;
import org.kiwiproject.consul.option.ImmutableQueryOptions;
import org.kiwiproject.consul.option.Options;
import org.kiwiproject.consul.option.QueryOptions;

/**
 * Notices another current version by blocking queries. Each waits for two seconds at most, so that a connection that carries nothing is
 * noticed: after the wait, the jitter that Consul adds, and the timeout of a read.
 *
 * <p>A query asks for all keys with the name of the current version as their prefix: that of the shadow version has it, too, and the client
 * drops the index of the reply if a single key is missing.
 */
final class ConsulWatch implements StoreWatch.Source {

    /** How long a blocking query waits for a change. In whole seconds, since the client understands no shorter times. */
    static final Duration WAIT = Duration.ofSeconds(2);

    private static final long RETRY_MILLIS = 200;

    /** Spreads the retries of all processes after an outage. */
    private static final long RETRY_JITTER_MILLIS = 800;

    private final ConsulLink link;
    private final StoreKeys keys;
    private final Duration wait;
    private final Semaphore closing = new Semaphore(0);
    private final QueryRate rate = new QueryRate(System.nanoTime());

    // Of the thread of the watch.
    private BlockingIndex index = BlockingIndex.START;
    private boolean failed;

    /** Watches the current version and the shadow version. Closes the link at the end. */
    ConsulWatch(ConsulLink link, StoreKeys keys, Duration wait) {
        this.link = link;
        this.keys = keys;
        this.wait = wait;
    }

    @Override
    public StoreWatch.Found read() {
        try {
            String key = keys.current();
            ConsulResponse<List<Value>> reply = link.call(
                    "watch " + key, consul -> consul.keyValueClient().getConsulResponseWithValues(key, query()));
            index = index.after(reply.getIndex());
            failed = false;
            List<Value> found = Optional.ofNullable(reply.getResponse()).orElse(List.of());
            return new StoreWatch.Found(
                    true, changedAt(found, key), changedAt(found, keys.shadow().current()));
        } catch (StoreFailure e) {
            index = BlockingIndex.START;
            failed = true;
            return StoreWatch.Found.NOTHING;
        }
    }

    private static long changedAt(List<Value> found, String key) {
        return found.stream()
                .filter(value -> value.getKey().equals(key))
                .mapToLong(Value::getModifyIndex)
                .findFirst()
                .orElse(0);
    }

    private QueryOptions query() {
        return index.isBlocking()
                ? ImmutableQueryOptions.builder()
                        .index(index.value())
                        .wait(wait.toSeconds() + "s")
                        .build()
                : Options.BLANK_QUERY_OPTIONS;
    }

    @Override
    public void replied() {
        // The next query waits for a change since this reply.
    }

    @Override
    public void await() throws InterruptedException {
        long delay = failed
                ? TimeUnit.MILLISECONDS.toNanos(
                        RETRY_MILLIS + ThreadLocalRandom.current().nextLong(RETRY_JITTER_MILLIS))
                : rate.nextDelayNanos(System.nanoTime());
        closing.tryAcquire(delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public void stop() {
        closing.release();
        link.close();
    }

    @Override
    public void ended() {
        // The link is closed.
    }
}
