package io.headgate.bench.pictures;

import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The decisions of one limit on the traffic of a picture, made by the engine in memory with a simulated clock. */
record Simulation(List<Request> requests) {

    /** Requests one permit of a new limit at each of these times, in microseconds since 1970. */
    static Simulation of(Rule rule, List<Long> timesMicros) {
        ManualClock clock = ManualClock.atMicros(0);
        List<Request> requests = new ArrayList<>();
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock).build()) {
            Limiter limiter = limits.limiter(Policy.named("pictures").rule(rule).build());
            for (long now : timesMicros) {
                clock.setMicros(now);
                Decision decision = limiter.tryAcquire("alice");
                requests.add(new Request(
                        now, decision.allowed(), now + micros(decision.delay()), now + micros(decision.resetAfter())));
            }
        }
        return new Simulation(List.copyOf(requests));
    }

    List<Request> allowed() {
        return requests.stream().filter(Request::allowed).toList();
    }

    /** The largest number of admissions within a window of this length; a window may start at any time. */
    int mostIn(Duration window) {
        Deque<Long> held = new ArrayDeque<>();
        int most = 0;
        for (Request one : allowed()) {
            held.add(one.atMicros());
            while (held.getFirst() <= one.atMicros() - micros(window)) {
                held.removeFirst();
            }
            most = Math.max(most, held.size());
        }
        return most;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    /**
     * A simulated request and its decision; times in microseconds since 1970.
     *
     * @param atMicros the time of the request
     * @param allowed whether it was admitted
     * @param proceedMicros when an admitted request may proceed; later than {@code atMicros} only for a shaper
     * @param resetMicros when all permits are available again: for a fixed or calendar window, its end
     */
    record Request(long atMicros, boolean allowed, long proceedMicros, long resetMicros) {}

    /**
     * One limit in a picture.
     *
     * @param name its name in the picture
     * @param detail a second line
     */
    record Lane(String name, String detail, Rule rule) {

        static Lane of(String name, String detail, Limit limit) {
            return new Lane(name, detail, Rule.of("limit", limit, "user"));
        }

        /** This lane with counted attempts. */
        Lane countingAttempts() {
            return new Lane(name, "attempts count", rule.countingAttempts());
        }
    }

    /** The times of the requests of a picture: given in seconds from its start, stored in microseconds since 1970. */
    static final class Traffic {

        /** The start of the pictures in minutes, which is the start of a window. */
        static final Instant BEGIN = Instant.parse("2025-01-01T00:00:00Z");

        private final List<Long> timesMicros = new ArrayList<>();

        /** One request every {@code seconds}, from {@code from} until before {@code until}. */
        Traffic every(double seconds, double from, double until) {
            for (int i = 0; from + i * seconds < until; i++) {
                timesMicros.add(micros(from + i * seconds));
            }
            return this;
        }

        /** This many requests, one second apart. */
        Traffic burst(int requests, double from) {
            return every(1, from, from + requests);
        }

        List<Long> times() {
            return List.copyOf(timesMicros);
        }

        static long micros(double seconds) {
            return BEGIN.getEpochSecond() * 1_000_000 + Math.round(seconds * 1_000_000);
        }
    }
}
