package io.headgate.redis.limits;

import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Redis before each test that holds nothing and knows no script, with a probe that looks into it and a proxy before it;
 * it fails a test after which a key would stay forever.
 *
 * <pre>{@code
 * @RegisterExtension
 * final OwnRedis redis = new OwnRedis();
 * }</pre>
 *
 * <p>It looks after the methods that run after each test: those must not empty it.
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

    /** An engine past the proxy, with time for its answers however busy the machine is. */
    public RedisLimitEngine.Builder limits() {
        return Engines.builder(url());
    }

    /** Past the proxy. */
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
