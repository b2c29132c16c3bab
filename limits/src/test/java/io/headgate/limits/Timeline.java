package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Makes requests for one key to an engine in memory at chosen times, and checks the decisions. All times are in microseconds. */
final class Timeline {

    private static final long START_MICROS = 1_800_000_000_000_000L;

    private final AtomicLong clock = new AtomicLong(START_MICROS);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(clock::get).build();
    private Limit limit;

    Timeline(Limit limit) {
        this.limit = limit;
    }

    /** Makes the following requests under another limit. */
    Timeline under(Limit other) {
        limit = other;
        return this;
    }

    /** Requests permits at a time after the start, which may be before the time of the last request. */
    Result at(long micros, long permits) {
        clock.set(START_MICROS + micros);
        return new Result(limits.limiter("timeline", limit)
                .tryAcquire(PermitRequest.of("key").withPermits(permits)));
    }

    /** A decision to check. */
    final class Result {

        private final Decision decision;

        Result(Decision decision) {
            this.decision = decision;
        }

        Timeline allowed(long remaining, long resetMicros) {
            return allowedAfter(0, remaining, resetMicros);
        }

        Timeline allowedAfter(long delayMicros, long remaining, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isTrue();
            assertThat(decision.retryAfter()).isEmpty();
            assertThat(decision.delay()).as("%s", decision).isEqualTo(micros(delayMicros));
            return left(remaining, resetMicros);
        }

        Timeline denied(long remaining, long retryMicros, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isFalse();
            assertThat(decision.retryAfter()).as("%s", decision).contains(micros(retryMicros));
            return left(remaining, resetMicros);
        }

        Timeline neverAllowed(long remaining, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isFalse();
            assertThat(decision.retryAfter()).as("%s", decision).isEmpty();
            return left(remaining, resetMicros);
        }

        private Timeline left(long remaining, long resetMicros) {
            assertThat(decision.remaining()).as("%s", decision).isEqualTo(remaining);
            assertThat(decision.resetAfter()).as("%s", decision).isEqualTo(micros(resetMicros));
            assertThat(decision.limit()).isEqualTo(limit.permits());
            return Timeline.this;
        }
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
