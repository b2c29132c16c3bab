package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimits;
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

/** How much is charged where there is not room for all, and others take some of it between any two requests. */
class InstalmentsTest {

    private final InMemoryLimits memory = InMemoryLimits.create();
    private final Limiter limiter =
            memory.limiter(Policy.of("api", Limit.slidingWindow(5000, Duration.ofHours(1)), Attributes.USER));
    private final List<Long> asked = new ArrayList<>();
    private long charged;

    private CompletableFuture<Decision> ask(long permits, long othersTake) {
        asked.add(permits);
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
        // One permit less each time than was said: all but what others took, and not nothing.
        "2510, 2500, 1,  2480, 12",
        "2510, 2500, 50, 1900, 12",
    })
    void as_much_is_charged_as_there_is_room_for(long used, long owed, long othersTake, long atLeast, int atMostCalls) {
        if (used > 0) {
            limiter.tryAcquire("alice", used);
        }
        new Instalments(permits -> ask(permits, othersTake), some -> charged += some)
                .charge(owed)
                .join();
        assertThat(charged).isBetween(atLeast, owed);
        assertThat(asked).hasSizeLessThanOrEqualTo(atMostCalls);
    }

    @Test
    void what_was_charged_before_a_failure_is_told() {
        limiter.tryAcquire("alice", 2510);
        CompletableFuture<Decision> paid = new Instalments(
                        permits -> charged > 0
                                ? CompletableFuture.failedFuture(new IllegalStateException("gone"))
                                : ask(permits, 1),
                        some -> charged += some)
                .charge(2500);
        assertThat(paid).isCompletedExceptionally();
        assertThat(charged).isBetween(2400L, 2499L);
    }
}
