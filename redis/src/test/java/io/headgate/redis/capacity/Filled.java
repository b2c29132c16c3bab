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

/** A Redis that receives planned requests at times that are passed in, and what they cost there. */
final class Filled implements AutoCloseable {

    /** So long that no recorded answer expires during a measurement. */
    static final Duration HORIZON = Duration.ofHours(1);

    private final RedisProbe probe;
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-01-05T00:00:00Z"));
    private final RedisLimitEngine limits;
    private final String idForm;
    private final long emptyBytes;

    private Map<String, Long> callsBefore = Map.of();
    private long inBefore;
    private long outBefore;
    private long requests;
    private boolean permitsArePassed;

    Filled(String url, Policy policy, int idLength) {
        this.idForm = "%0" + idLength + "d";
        this.probe = RedisProbe.of(url);
        UsedMemory.empty(probe);
        // The script is there before anything is measured.
        try (RedisLimitEngine before = engine(url)) {
            before.limiter(policy).peek(PermitRequest.of(attributes(0)));
        }
        this.emptyBytes = UsedMemory.bytes(probe);
        this.limits = engine(url);
    }

    private RedisLimitEngine engine(String redis) {
        // As a plan counts: a call for each request.
        // A connection subscribed to invalidations would be measured, too.
        return Engines.builder(redis)
                .invalidations(false)
                .coalescing(false)
                .maxCachedDenials(0)
                .requestIdHorizon(HORIZON)
                .time(clock)
                .build();
    }

    /** What is sent and called from now on counts. */
    void count() {
        callsBefore = probe.commandCalls();
        inBefore = net("total_net_input_bytes");
        outBefore = net("total_net_output_bytes");
        requests = 0;
    }

    /** Each id makes one request per round, in turn; the rounds are {@code apart}. */
    void askInTurns(Policy policy, int ids, int rounds, Duration apart) {
        Limiter limiter = limits.limiter(policy);
        for (int round = 0; round < rounds; round++) {
            clock.advance(apart);
            Burst.of(ids, id -> limiter.async().tryAcquire(PermitRequest.of(attributes(id))));
            requests += ids;
        }
    }

    /** Random ids make requests at the given total rate. */
    void askAtRandom(Policy policy, int ids, double perSecond, int times) {
        AsyncLimiter limiter = limits.limiter(policy).async();
        askAtRandom(ids, perSecond, times, (i, attributes) -> limiter.tryAcquire(PermitRequest.of(attributes)));
    }

    /** The same, each with a request id of {@code idLength} characters. */
    void askWithRequestIds(Policy policy, int ids, int idLength, double perSecond, int times) {
        AsyncLimiter limiter = limits.limiter(policy).async();
        String form = "%0" + idLength + "d";
        askAtRandom(
                ids,
                perSecond,
                times,
                (i, attributes) ->
                        limiter.tryAcquire(PermitRequest.of(attributes).withId(RequestId.of(form.formatted(i)))));
        permitsArePassed = true;
    }

    private void askAtRandom(
            int ids, double perSecond, int times, BiFunction<Integer, Attributes, CompletionStage<Decision>> asking) {
        SplittableRandom random = new SplittableRandom(7);
        Burst.of(times, i -> {
            clock.advance(Duration.ofNanos(1000 * Math.round(-Math.log(1 - random.nextDouble()) / perSecond * 1e6)));
            return asking.apply(i, attributes(random.nextInt(ids)));
        });
        requests += times;
    }

    /** Memory beyond that of an empty Redis; ends the asking, as connections have buffers. */
    long bytes() {
        limits.close();
        return UsedMemory.bytes(probe) - emptyBytes;
    }

    long keys() {
        return (Long) Objects.requireNonNull(probe.command("DBSIZE"));
    }

    /** Removes what would have expired if the time were Redis's own. */
    void expire(Limit limit) {
        for (Object key : (List<?>) Objects.requireNonNull(probe.command("KEYS", "*"))) {
            byte[] name = String.valueOf(key).getBytes(StandardCharsets.UTF_8);
            byte[] state =
                    (byte[]) Objects.requireNonNull(probe.commandBytes("GET".getBytes(StandardCharsets.UTF_8), name));
            if (expiresMicros(limit, state) < clock.nowMicros()) {
                probe.command("DEL", String.valueOf(key));
            }
        }
    }

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

    /** Commands for each request, with the TIME that a time that is passed in saves. */
    double commandsPerRequest() {
        Map<String, Long> now = probe.commandCalls();
        long calls = now.entrySet().stream()
                .filter(command -> !command.getKey().equals("INFO"))
                .mapToLong(command -> command.getValue() - callsBefore.getOrDefault(command.getKey(), 0L))
                .sum();
        return (double) calls / requests + 1;
    }

    /** Bytes sent for each request, without the time that was passed in. */
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
        return Attributes.of(Attributes.USER, idForm.formatted(id)).with(Attributes.IP, idForm.formatted(id));
    }

    @Override
    public void close() {
        limits.close();
        probe.flushAll();
        probe.close();
    }
}
