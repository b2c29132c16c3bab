package io.headgate.bench.peers;

import io.headgate.bench.peers.RawRedis.RawGate;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The common sliding window: a sorted set of admissions, in one script. */
public final class SortedSet implements Subject {

    public static final String NAME = "sorted-set";

    private static final String SCRIPT = "sorted_set.lua";
    private static final int PREFIX_LENGTH = 8;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        RawRedis redis = RawRedis.over(access);
        String sha1 = redis.load(script());
        String limit = Long.toString(quota.permits());
        String windowMicros = Long.toString(quota.windowMicros());
        // Members must be unique, even between processes: they have a random prefix and a number.
        String process = UUID.randomUUID().toString().substring(0, PREFIX_LENGTH) + "-";
        AtomicLong number = new AtomicLong();
        return new RawGate(
                redis, this, key -> redis.call(sha1, key, limit, windowMicros, process + number.incrementAndGet())
                        .thenApply(allowed -> allowed == 1));
    }

    private static String script() {
        try (InputStream file = SortedSet.class.getResourceAsStream(SCRIPT)) {
            return new String(Objects.requireNonNull(file, SCRIPT).readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + SCRIPT, e);
        }
    }
}
