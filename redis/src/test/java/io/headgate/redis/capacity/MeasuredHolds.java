package io.headgate.redis.capacity;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.internal.script.RespSize;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Acquires and releases holds at random, by a clock of the test, and measures their cost in Redis. A take is a request for a hold,
 * admitted or denied. Holds are acquired as tickets, which closing an engine does not release.
 */
final class MeasuredHolds implements AutoCloseable {

    private static final int MAX_IN_FLIGHT = 500;

    private record Taken(long endMicros, int id, CompletableFuture<Hold> hold) {}

    private final RedisProbe probe;
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-01-05T00:00:00Z"));
    private final RedisLimitEngine limits;
    private final AsyncInFlightLimiter limiter;
    private final InFlightPolicy policy;
    private final long emptyBytes;
    private final SplittableRandom random = new SplittableRandom(7);
    private final PriorityQueue<Taken> held = new PriorityQueue<>(Comparator.comparingLong(Taken::endMicros));
    private final Map<Integer, Integer> heldByIds = new HashMap<>();

    private Map<String, Long> callsBefore = Map.of();
    private long inBefore;
    private long outBefore;
    private long takes;
    private long admitted;

    /** The number of held permits, integrated over time. */
    private double heldMicros;

    /** The number of keys of held permits, integrated over time. */
    private double keyMicros;

    private long measuredSinceMicros;

    MeasuredHolds(String url, InFlightPolicy policy) {
        this.policy = policy;
        this.probe = RedisProbe.of(url);
        UsedMemory.empty(probe);
        try (RedisLimitEngine before = engine(url)) {
            before.inFlight(policy).tryAcquire(PermitRequest.of(attributes(0))).release();
        }
        this.emptyBytes = UsedMemory.bytes(probe);
        this.limits = engine(url);
        this.limiter = limits.inFlight(policy).async();
    }

    private RedisLimitEngine engine(String url) {
        return Engines.builder(url).invalidations(false).time(clock).build();
    }

    /** Starts counting commands and bytes. */
    void startMeasuring() {
        awaitSentCalls();
        callsBefore = probe.commandCalls();
        inBefore = net("total_net_input_bytes");
        outBefore = net("total_net_output_bytes");
        takes = 0;
        admitted = 0;
        heldMicros = 0;
        keyMicros = 0;
        measuredSinceMicros = clock.nowMicros();
    }

    /** Random ids request holds at the given total rate, and keep each hold for a random time with the given mean. */
    void takeAtRandom(int ids, double perSecond, Duration mean, int times) {
        for (int i = 0; i < times; i++) {
            long requestedMicros = clock.nowMicros() + randomMicros(1e6 / perSecond);
            for (Taken first = held.peek();
                    first != null && first.endMicros() <= requestedMicros;
                    first = held.peek()) {
                release(first);
            }
            advanceTo(requestedMicros);
            take(random.nextInt(ids), requestedMicros + randomMicros(mean.toNanos() / 1e3));
        }
        awaitSentCalls();
    }

    private long randomMicros(double mean) {
        return Math.round(-Math.log(1 - random.nextDouble()) * mean);
    }

    private void release(Taken first) {
        held.remove();
        advanceTo(first.endMicros());
        Hold hold = first.hold().join();
        if (hold.allowed()) {
            hold.close();
            heldByIds.computeIfPresent(first.id(), (id, count) -> count == 1 ? null : count - 1);
        }
    }

    private void take(int id, long endMicros) {
        CompletableFuture<Hold> hold = limiter.tickets()
                .tryAcquire(PermitRequest.of(attributes(id)), policy.lease())
                .toCompletableFuture();
        takes++;
        // The result must be known before the clock advances, because this class counts what is held.
        if (hold.join().allowed()) {
            admitted++;
            heldByIds.merge(id, 1, Integer::sum);
            held.add(new Taken(endMicros, id, hold));
        }
    }

    private void advanceTo(long toMicros) {
        long micros = toMicros - clock.nowMicros();
        heldMicros += (double) micros * held();
        keyMicros += (double) micros * keysHeld();
        clock.advance(Duration.ofNanos(micros * 1000));
    }

    private int keysHeld() {
        return policy.rules().stream()
                .mapToInt(rule -> rule.dimensions().isEmpty() ? Math.min(1, heldByIds.size()) : heldByIds.size())
                .sum();
    }

    /** Acquires the given number of permits for each id. */
    void fill(int ids, int permits) {
        List<CompletableFuture<Hold>> inFlight = new ArrayList<>();
        for (int i = 0; i < ids * permits; i++) {
            inFlight.add(limiter.tickets()
                    .tryAcquire(PermitRequest.of(attributes(i % ids)), policy.lease())
                    .toCompletableFuture());
            if (inFlight.size() == MAX_IN_FLIGHT) {
                inFlight.forEach(CompletableFuture::join);
                inFlight.clear();
            }
        }
        inFlight.forEach(CompletableFuture::join);
    }

    /** Waits until Redis has run all calls that were sent. */
    private void awaitSentCalls() {
        limiter.peek(PermitRequest.of(attributes(0))).toCompletableFuture().join();
    }

    long held() {
        return held.size();
    }

    double admittedShare() {
        return (double) admitted / takes;
    }

    double meanHeld() {
        return heldMicros / (clock.nowMicros() - measuredSinceMicros);
    }

    double meanKeys() {
        return keyMicros / (clock.nowMicros() - measuredSinceMicros);
    }

    long keys() {
        return (Long) Objects.requireNonNull(probe.command("DBSIZE"));
    }

    /** Returns the memory beyond that of an empty Redis; closes the engine first, as connections have buffers, but releases no hold. */
    long bytes() {
        limits.close();
        return UsedMemory.bytes(probe) - emptyBytes;
    }

    /** Commands for each take, plus the TIME that each call omits because the test passes the time. */
    double commandsPerTake() {
        Map<String, Long> now = probe.commandCalls();
        long calls = 0;
        for (Map.Entry<String, Long> command : now.entrySet()) {
            if (!command.getKey().equals("INFO")) {
                calls += command.getValue() - callsBefore.getOrDefault(command.getKey(), 0L);
            }
        }
        long scripts = now.getOrDefault("EVALSHA", 0L) - callsBefore.getOrDefault("EVALSHA", 0L);
        return (double) (calls + scripts) / takes;
    }

    /** Bytes sent for each take, without the time that the test passes with each call. */
    double bytesInPerTake() {
        // Each take passes the time, and so does the release of each admitted one.
        int testOnly = RespSize.bulk(Long.toString(clock.nowMicros()).length());
        return (double) (net("total_net_input_bytes") - inBefore) / takes - testOnly * (1 + admittedShare());
    }

    double bytesOutPerTake() {
        return (double) (net("total_net_output_bytes") - outBefore) / takes;
    }

    private long net(String counter) {
        return Long.parseLong(probe.info("stats").getOrDefault(counter, "0"));
    }

    private static Attributes attributes(int id) {
        return Attributes.of(Attributes.USER, "%016d".formatted(id));
    }

    @Override
    public void close() {
        limits.close();
        probe.flushAll();
        probe.close();
    }
}
