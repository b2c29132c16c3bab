package io.headgate.limits.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that wait under one rule, some of which are banned or exempt by an attribute that the rule does not count by. */
@Timeout(60)
class WaitingUnderBansTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = HOUR.multipliedBy(3);

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(clock::get).build();
    private final Bans bans = limits.bans();
    private final Limiter all = limits.limiter(
            Policy.named("all").rule("calls", Limit.slidingWindow(1, HOUR)).build());

    @AfterEach
    void close() {
        limits.close();
    }

    private CompletableFuture<Decision> acquire(String ip) {
        return all.async()
                .acquire(PermitRequest.of(Attributes.of("ip", ip)), LONG)
                .toCompletableFuture();
    }

    @Test
    void others_do_not_wait_behind_a_banned_request() {
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.7")).lasting(HOUR));
        CompletableFuture<Decision> banned = acquire("203.0.113.7");
        assertThat(banned).isNotDone();
        assertThat(acquire("198.51.100.1")).isCompletedWithValueMatching(Decision::allowed);
        assertThat(banned).isNotDone();
    }

    @Test
    void an_exempt_request_does_not_wait_behind_others() {
        bans.add(BanRequest.exemption(BanTarget.ip("203.0.113.0/24")));
        assertThat(acquire("198.51.100.1").join().allowed()).isTrue();
        assertThat(acquire("198.51.100.1")).isNotDone();
        assertThat(acquire("203.0.113.7")).isCompletedWithValueMatching(one -> one.basis() == Basis.EXEMPT);
    }

    @Test
    void a_request_that_is_banned_while_it_waits_is_denied_and_delays_no_others() {
        assertThat(acquire("198.51.100.1").join().allowed()).isTrue();
        CompletableFuture<Decision> first = acquire("203.0.113.7");
        CompletableFuture<Decision> second = acquire("198.51.100.1");
        bans.add(BanRequest.ban(BanTarget.ip("203.0.113.7")).lasting(HOUR.multipliedBy(2)));
        clock.addAndGet(HOUR.toMillis() * 1000);
        // Wakes all waiting requests, as the end of their sleep does.
        bans.lift(BanTarget.user("eve"));
        assertThat(first.join().basis()).isEqualTo(Basis.BANNED);
        assertThat(second.join().allowed()).isTrue();
    }
}
