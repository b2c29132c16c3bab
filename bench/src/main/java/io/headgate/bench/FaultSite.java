package io.headgate.bench;

import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.redis.limits.RedisLimits;
import io.headgate.testkit.Await;
import io.headgate.testkit.FaultProxy;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A Redis, a proxy before it, and instances that ask for one limit through that, as they come. */
final class FaultSite implements AutoCloseable {

    static final int INSTANCES = 4;
    static final int PERMITS = 200;
    static final Duration WINDOW = Duration.ofMillis(500);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path clock;
    private final RedisServer redis;
    private final RedisProbe probe;
    private final FaultProxy proxy;
    private final List<RedisLimits> engines = new ArrayList<>();
    private final List<Limiter> limiters = new ArrayList<>();

    private FaultSite(boolean setsClock) {
        this.clock = clock();
        this.redis = setsClock ? RedisServer.startOwnUnder(WrongClock.following(clock)) : RedisServer.startOwn();
        this.probe = RedisProbe.of(redis.url());
        this.proxy = FaultProxy.before(redis.url());
    }

    /** One whose instances know of each other, and have been asked often enough. */
    static FaultSite open(int instances, boolean setsClock) {
        FaultSite site = new FaultSite(setsClock);
        try {
            for (int i = 0; i < instances; i++) {
                RedisLimits engine = RedisLimits.connect(site.proxy.url());
                site.engines.add(engine);
                site.limiters.add(engine.limiter("faults", Limit.slidingWindow(PERMITS, WINDOW)));
            }
            Await.until("instances know of each other", PATIENCE, () -> site.engines.stream()
                    .allMatch(engine -> engine.instances() == instances));
            return site;
        } catch (RuntimeException | AssertionError e) {
            site.close();
            throw e;
        }
    }

    private static Path clock() {
        try {
            Path file = Files.createTempFile("headgate-clock", "");
            Files.writeString(file, "+0");
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write what a clock says", e);
        }
    }

    RedisServer redis() {
        return redis;
    }

    RedisProbe probe() {
        return probe;
    }

    FaultProxy proxy() {
        return proxy;
    }

    RedisLimits engine(int instance) {
        return engines.get(instance);
    }

    Limiter limiter(int instance) {
        return limiters.get(instance);
    }

    /** Has the clock of Redis jump by that, such as {@code +3600} for an hour, until it is set right again. */
    Runnable clockJumps(String by) {
        set(by);
        return () -> set("+0");
    }

    private void set(String by) {
        try {
            Files.writeString(clock, by);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot set the clock of a Redis", e);
        }
    }

    boolean isHealthy() {
        return engines.stream().allMatch(engine -> engine.health() == Health.HEALTHY);
    }

    @Override
    public void close() {
        engines.forEach(RedisLimits::close);
        proxy.close();
        probe.close();
        redis.close();
        try {
            Files.deleteIfExists(clock);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + clock, e);
        }
    }
}
