package io.headgate.limits.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.PermitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ban denies requests for holds, whatever their policy counts by. */
@Timeout(60)
class BannedHoldsTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String BANNED_IP = "203.0.113.7";
    private static final String OTHER_IP = "198.51.100.1";

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final List<Hold> reported = new ArrayList<>();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(clock::get)
            .listener(new LimitListener() {
                @Override
                public void onHold(
                        InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
                    reported.add(hold);
                }
            })
            .build();
    private final Bans bans = limits.bans();
    private final InFlightLimiter exports =
            limits.inFlight(InFlightPolicy.named("exports").rule("global", 1).build());

    @AfterEach
    void close() {
        limits.close();
    }

    private static PermitRequest from(String ip) {
        return PermitRequest.of(Attributes.of("ip", ip));
    }

    private CompletableFuture<Hold> waitingFrom(String ip) {
        return exports.async().acquire(from(ip), HOUR).toCompletableFuture();
    }

    private BanEntry ban() {
        return bans.add(BanRequest.ban(BanTarget.ip("203.0.113.0/24")).lasting(HOUR));
    }

    @Test
    void a_banned_request_is_denied_until_the_ban_ends() {
        BanEntry ban = ban();
        Hold denied = exports.tryAcquire(from(BANNED_IP));
        assertThat(denied.denied()).isTrue();
        assertThat(denied.ban()).contains(ban);
        assertThat(denied.deniedBy()).isEmpty();
        assertThat(denied.inFlight().basis()).isEqualTo(Basis.BANNED);
        assertThat(denied.inFlight().free()).isZero();
        assertThat(ban.timeLeft(denied.inFlight().at())).contains(HOUR);
        assertThat(denied.release()).isFalse();
        assertThat(reported).containsExactly(denied);
        assertThat(exports.peek(from(BANNED_IP)).free()).isEqualTo(1);
        clock.addAndGet(HOUR.toMillis() * 1000);
        assertThat(exports.tryAcquire(from(BANNED_IP)).allowed()).isTrue();
    }

    @Test
    void a_ban_of_one_policy_leaves_others_alone() {
        bans.add(BanRequest.ban(BanTarget.ip(BANNED_IP).ofPolicy("imports")));
        assertThat(exports.tryAcquire(from(BANNED_IP)).allowed()).isTrue();
        InFlightLimiter imports = limits.inFlight(
                InFlightPolicy.named("imports").rule("global", 1).build());
        Hold denied = imports.tryAcquire(from(BANNED_IP));
        assertThat(denied.ban().flatMap(ban -> ban.timeLeft(denied.inFlight().at())))
                .isEmpty();
        assertThat(denied.denied()).isTrue();
    }

    @Test
    void an_exemption_takes_no_permits_beyond_the_limit() {
        bans.add(BanRequest.exemption(BanTarget.ip(OTHER_IP)));
        assertThat(exports.tryAcquire(from(OTHER_IP)).allowed()).isTrue();
        assertThat(exports.tryAcquire(from(OTHER_IP)).denied()).isTrue();
    }

    @Test
    void a_hold_outlives_a_ban_of_its_holder() {
        Hold hold = exports.tryAcquire(from(BANNED_IP));
        ban();
        assertThat(hold.isLost()).isFalse();
        assertThat(hold.release()).isTrue();
    }

    @Test
    void a_banned_request_by_ticket_is_denied_too() {
        ban();
        Hold denied = exports.async()
                .tickets()
                .tryAcquire(from(BANNED_IP), Duration.ofMinutes(1))
                .toCompletableFuture()
                .join();
        assertThat(denied.ban()).isPresent();
        assertThat(denied.ticket()).isEmpty();
    }

    @Test
    void a_banned_request_does_not_wait() {
        assertThat(exports.tryAcquire(from(OTHER_IP)).allowed()).isTrue();
        ban();
        assertThat(waitingFrom(BANNED_IP).join().ban()).isPresent();
        assertThat(waitingFrom(OTHER_IP)).isNotDone();
    }

    @Test
    void a_request_that_is_banned_while_it_waits_is_denied_and_delays_no_others() {
        Hold held = exports.tryAcquire(from(OTHER_IP));
        CompletableFuture<Hold> first = waitingFrom(BANNED_IP);
        CompletableFuture<Hold> second = waitingFrom(OTHER_IP);
        ban();
        held.close();
        assertThat(first.join().ban()).isPresent();
        assertThat(second.join().allowed()).isTrue();
    }
}
