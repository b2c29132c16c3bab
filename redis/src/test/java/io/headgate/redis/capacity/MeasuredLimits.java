package io.headgate.redis.capacity;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.SlidingWindow;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.limits.Burst;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** Sends planned requests to a Redis, by a clock of the test, and measures their cost there. */
final class MeasuredLimits implements AutoCloseable {

    /** How long Redis keeps request ids: so long that none expires during a measurement. */
    static final Duration HORIZON = Duration.ofHours(1);

    private final RedisProbe probe;
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-01-05T00:00:00Z"));
    private final RedisLimitEngine limits;
    private final String idFormat;
    private final long emptyBytes;

    private Map<String, Long> callsBefore = Map.of();
    private long inBefore;
    private long outBefore;
    private long requests;
    private boolean permitsArePassed;

    MeasuredLimits(String url, Policy policy, int idLength) {
        this.idFormat = "%0" + idLength + "d";
        this.probe = RedisProbe.of(url);
        UsedMemory.empty(probe);
        // Loads the script, so that it is not measured.
        try (RedisLimitEngine before = engine(url)) {
            before.limiter(policy).peek(PermitRequest.of(attributes(0)));
        }
        this.emptyBytes = UsedMemory.bytes(probe);
        this.limits = engine(url);
    }

    private RedisLimitEngine engine(String redis) {
        // One call for each request, as in a plan, and no connection for invalidations, which would be measured, too.
        return Engines.builder(redis)
                .invalidations(false)
                .batching(false)
                .maxCachedDenials(0)
                .requestIdHorizon(HORIZON)
                .time(clock)
                .build();
    }

    /** Starts counting commands and bytes. */
    void startMeasuring() {
        callsBefore = probe.commandCalls();
        inBefore = net("total_net_input_bytes");
        outBefore = net("total_net_output_bytes");
        requests = 0;
    }

    /** Each id makes one request per round, in turn; the clock advances by {@code interval} before each round. */
    void requestInTurns(Policy policy, int ids, int rounds, Duration interval) {
        Limiter limiter = limits.limiter(policy);
        for (int round = 0; round < rounds; round++) {
            clock.advance(interval);
            Burst.of(ids, id -> limiter.async().tryAcquire(PermitRequest.of(attributes(id))));
            requests += ids;
        }
    }

    /** Random ids make requests at the given total rate. */
    void requestAtRandom(Policy policy, int ids, double perSecond, int times) {
        AsyncLimiter limiter = limits.limiter(policy).async();
        requestAtRandom(ids, perSecond, times, (i, attributes) -> limiter.tryAcquire(PermitRequest.of(attributes)));
    }

    /** Random ids make requests at the given total rate, each with a request id of {@code requestIdLength} characters. */
    void requestWithIds(Policy policy, int ids, int requestIdLength, double perSecond, int times) {
        AsyncLimiter limiter = limits.limiter(policy).async();
        String form = "%0" + requestIdLength + "d";
        requestAtRandom(
                ids,
                perSecond,
                times,
                (i, attributes) ->
                        limiter.tryAcquire(PermitRequest.of(attributes).withId(RequestId.of(form.formatted(i)))));
        permitsArePassed = true;
    }

    private void requestAtRandom(
            int ids, double perSecond, int times, BiFunction<Integer, Attributes, CompletionStage<Decision>> request) {
        SplittableRandom random = new SplittableRandom(7);
        Burst.of(times, i -> {
            clock.advance(Duration.ofNanos(1000 * Math.round(-Math.log(1 - random.nextDouble()) / perSecond * 1e6)));
            return request.apply(i, attributes(random.nextInt(ids)));
        });
        requests += times;
    }

    /** Returns the memory beyond that of an empty Redis; closes the engine first, as connections have buffers. */
    long bytes() {
        limits.close();
        return UsedMemory.bytes(probe) - emptyBytes;
    }

    long keys() {
        return (Long) Objects.requireNonNull(probe.command("DBSIZE"));
    }

    /** Deletes the keys that have expired by the clock of the test, which Redis does not know. */
    void removeExpired(Limit limit) {
        for (Object key : (List<?>) Objects.requireNonNull(probe.command("KEYS", "*"))) {
            byte[] name = String.valueOf(key).getBytes(StandardCharsets.UTF_8);
            byte[] state =
                    (byte[]) Objects.requireNonNull(probe.commandBytes("GET".getBytes(StandardCharsets.UTF_8), name));
            if (expiresMicros(limit, state) < clock.nowMicros()) {
                probe.command("DEL", String.valueOf(key));
            }
        }
    }

    /** Returns the expiry in a stored state; decision 0023 describes the layouts. */
    private static long expiresMicros(Limit limit, byte[] state) {
        if (limit instanceof SlidingWindow) {
            return number(state, 53, 7);
        } else if (limit instanceof FixedWindow || limit instanceof CalendarWindow) {
            return number(state, 20, 7);
        }
        return number(state, 23, 5) * 1_000_000;
    }

    private static long number(byte[] bytes, int from, int length) {
        long number = 0;
        for (int i = from; i < from + length; i++) {
            number = (number << 8) | (bytes[i] & 0xff);
        }
        return number;
    }

    /** Commands for each request, plus the TIME that the scripts omit because the test passes the time. */
    double commandsPerRequest() {
        Map<String, Long> now = probe.commandCalls();
        long calls = now.entrySet().stream()
                .filter(command -> !command.getKey().equals("INFO"))
                .mapToLong(command -> command.getValue() - callsBefore.getOrDefault(command.getKey(), 0L))
                .sum();
        return (double) calls / requests + 1;
    }

    /** Bytes sent for each request, without the time that the test passes. */
    double bytesInPerRequest() {
        // Only a test passes the time, and before it the permits, which requests with an id pass anyway.
        int testOnly = (permitsArePassed ? 0 : RespSize.bulk(1))
                + RespSize.bulk(Long.toString(clock.nowMicros()).length());
        return (double) (net("total_net_input_bytes") - inBefore) / requests - testOnly;
    }

    double bytesOutPerRequest() {
        return (double) (net("total_net_output_bytes") - outBefore) / requests;
    }

    private long net(String counter) {
        return Long.parseLong(probe.info("stats").getOrDefault(counter, "0"));
    }

    private Attributes attributes(int id) {
        return Attributes.of(Attributes.USER, idFormat.formatted(id)).with(Attributes.IP, idFormat.formatted(id));
    }

    @Override
    public void close() {
        limits.close();
        probe.flushAll();
        probe.close();
    }
}
