package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Asks one key of an engine in memory at chosen times, and compares the answers; all times in microseconds. */
final class Play {

    private static final long START_MICROS = 1_800_000_000_000_000L;

    private final AtomicLong clock = new AtomicLong(START_MICROS);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(clock::get).build();
    private Limit limit;

    Play(Limit limit) {
        this.limit = limit;
    }

    /** From now on the key is asked under this limit. */
    Play under(Limit other) {
        limit = other;
        return this;
    }

    /** Asks for permits so long after the start, which may be before the last time. */
    Answer at(long micros, long permits) {
        clock.set(START_MICROS + micros);
        return new Answer(
                limits.limiter("play", limit).tryAcquire(PermitRequest.of("key").withPermits(permits)));
    }

    /** What came back, to be compared by the same words that a decision has. */
    final class Answer {

        private final Decision decision;

        Answer(Decision decision) {
            this.decision = decision;
        }

        Play allowed(long remaining, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isTrue();
            assertThat(decision.retryAfter()).isEmpty();
            return left(remaining, resetMicros);
        }

        Play allowedAfter(long delayMicros, long remaining, long resetMicros) {
            assertThat(decision.delay()).as("%s", decision).isEqualTo(micros(delayMicros));
            return allowed(remaining, resetMicros);
        }

        Play denied(long remaining, long retryMicros, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isFalse();
            assertThat(decision.retryAfter()).as("%s", decision).contains(micros(retryMicros));
            return left(remaining, resetMicros);
        }

        Play deniedForEver(long remaining, long resetMicros) {
            assertThat(decision.allowed()).as("%s", decision).isFalse();
            assertThat(decision.retryAfter()).as("%s", decision).isEmpty();
            return left(remaining, resetMicros);
        }

        private Play left(long remaining, long resetMicros) {
            assertThat(decision.remaining()).as("%s", decision).isEqualTo(remaining);
            assertThat(decision.resetAfter()).as("%s", decision).isEqualTo(micros(resetMicros));
            assertThat(decision.limit()).isEqualTo(limit.permits());
            return Play.this;
        }
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
