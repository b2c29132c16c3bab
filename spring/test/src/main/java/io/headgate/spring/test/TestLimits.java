package io.headgate.spring.test;

import io.headgate.limits.LimitEngine;
import io.headgate.testkit.ManualClock;
import java.time.Instant;
import java.util.Optional;

/** The limits of a test, which begin each test method without counts. */
final class TestLimits {

    private final UsedKeys used;
    private final Optional<ManualClock> clock;

    TestLimits(LimitEngine engine, Optional<ManualClock> clock) {
        this.used = new UsedKeys(engine);
        this.clock = clock;
    }

    static ManualClock clock() {
        return ManualClock.at(Instant.parse(AutoConfigureHeadgate.START));
    }

    void reset() {
        used.reset();
        clock.ifPresent(settable -> settable.setMicros(clock().nowMicros()));
    }
}
