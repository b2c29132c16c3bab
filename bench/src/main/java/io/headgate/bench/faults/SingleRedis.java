package io.headgate.bench.faults;

import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import io.headgate.testkit.faults.FaultProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One Redis, and a proxy between it and the applications. */
final class SingleRedis implements FaultTarget {

    private final Path clock;
    private final RedisServer redis;
    private final RedisProbe probe;
    private final FaultProxy proxy;

    private SingleRedis(Path clock, List<String> launcher, String... arguments) {
        this.clock = clock;
        this.redis = RedisServer.startOwnUnder(launcher, arguments);
        this.probe = RedisProbe.of(redis.url());
        this.proxy = FaultProxy.before(redis.url());
    }

    static SingleRedis open(String... arguments) {
        return new SingleRedis(createClock(), List.of(), arguments);
    }

    /** Starts a server whose clock can be set. */
    static SingleRedis withClock(String... arguments) {
        Path clock = createClock();
        return new SingleRedis(clock, WrongClock.following(clock), arguments);
    }

    /** Creates the file with the offset of the clock. */
    private static Path createClock() {
        try {
            Path file = Files.createTempFile("headgate-clock", "");
            Files.writeString(file, "+0");
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the file of a clock", e);
        }
    }

    @Override
    public String url() {
        return proxy.url();
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

    /** Shifts the clock, if it {@linkplain #withClock can be set}, such as by {@code +3600} for an hour; the result restores it. */
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

    @Override
    public void close() {
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
