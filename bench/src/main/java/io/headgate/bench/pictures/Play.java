package io.headgate.bench.pictures;

import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One limit, asked by the same traffic as the others: the real engine, by a clock that is moved to each request. */
record Play(List<Asked> asked) {

    /** Asks a new limit for one permit at each of these times, in microseconds since 1970. */
    static Play of(Rule rule, List<Long> timesMicros) {
        ManualClock clock = ManualClock.atMicros(0);
        List<Asked> asked = new ArrayList<>();
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock).build()) {
            Limiter limiter = limits.limiter(Policy.named("pictures").rule(rule).build());
            for (long now : timesMicros) {
                clock.setMicros(now);
                Decision decision = limiter.tryAcquire("alice");
                asked.add(new Asked(
                        now, decision.allowed(), now + micros(decision.delay()), now + micros(decision.resetAfter())));
            }
        }
        return new Play(List.copyOf(asked));
    }

    List<Asked> allowed() {
        return asked.stream().filter(Asked::allowed).toList();
    }

    /** The most that was admitted within one such time, wherever it begins. */
    int mostIn(Duration window) {
        Deque<Long> held = new ArrayDeque<>();
        int most = 0;
        for (Asked one : allowed()) {
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
}
