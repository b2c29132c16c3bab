package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much is charged when there is not room for all, and others charge permits between any two requests. */
class PartialChargesTest {

    private final InMemoryLimitEngine memory = InMemoryLimitEngine.create();
    private final Limiter limiter =
            memory.limiter(Policy.of("api", Limit.slidingWindow(5000, Duration.ofHours(1)), Attributes.USER));
    private final List<Long> requested = new ArrayList<>();
    private long charged;

    private CompletableFuture<Decision> request(long permits, long othersTake) {
        requested.add(permits);
        Decision decision = limiter.tryAcquire("alice", permits);
        if (othersTake > 0) {
            limiter.tryAcquire("alice", othersTake);
        }
        return CompletableFuture.completedFuture(decision);
    }

    @ParameterizedTest
    @CsvSource({
        "0,    2500, 0,  2500, 1",
        "4000, 2500, 0,  1000, 2",
        "5000, 2500, 0,  0,    1",
        // Each time one permit less remains than was reported: charges nearly all, not nothing.
        "2510, 2500, 1,  2480, 12",
        "2510, 2500, 50, 1900, 12",
    })
    void as_many_permits_are_charged_as_there_is_room_for(
            long used, long owed, long othersTake, long atLeast, int atMostCalls) {
        if (used > 0) {
            limiter.tryAcquire("alice", used);
        }
        new PartialCharges(permits -> request(permits, othersTake), some -> charged += some)
                .charge(owed)
                .join();
        assertThat(charged).isBetween(atLeast, owed);
        assertThat(requested).hasSizeLessThanOrEqualTo(atMostCalls);
    }

    @Test
    void charges_before_a_failure_are_reported() {
        limiter.tryAcquire("alice", 2510);
        CompletableFuture<Decision> paid = new PartialCharges(
                        permits -> charged > 0
                                ? CompletableFuture.failedFuture(new IllegalStateException("gone"))
                                : request(permits, 1),
                        some -> charged += some)
                .charge(2500);
        assertThat(paid).isCompletedExceptionally();
        assertThat(charged).isBetween(2400L, 2499L);
    }
}
