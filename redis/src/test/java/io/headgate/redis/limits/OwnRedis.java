package io.headgate.redis.limits;

import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Redis that is empty and has no scripts before each test, with a probe of its content and a proxy in front of it.
 * It fails a test that leaves a key without an expiry.
 *
 * <pre>{@code
 * @RegisterExtension
 * final OwnRedis redis = new OwnRedis();
 * }</pre>
 *
 * <p>It checks after the {@code @AfterEach} methods have run, so these must not empty the Redis.
 */
public final class OwnRedis implements BeforeEachCallback, AfterEachCallback {

    private static final RedisServer REDIS = RedisServer.startOwn();

    public final RedisProbe probe = RedisProbe.of(REDIS.url());

    /** In front of the Redis; passes everything by default. */
    public final FaultProxy proxy = FaultProxy.before(REDIS.url());

    @Override
    public void beforeEach(ExtensionContext context) {
        probe.flushAll();
        probe.command("SCRIPT", "FLUSH");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        proxy.close();
        probe.close();
        Leftovers.in(REDIS.url(), "*").requireNone();
    }

    /** A builder of an engine that bypasses the proxy, without fallback and with a timeout that is never reached. */
    public RedisLimitEngine.Builder limits() {
        return Engines.builder(url());
    }

    /** The URL of the Redis itself, which bypasses the proxy. */
    public String url() {
        return REDIS.url();
    }

    /** Keeps the server from answering until it is resumed. */
    void pause() {
        REDIS.pause();
    }

    void resume() {
        REDIS.resume();
    }
}
