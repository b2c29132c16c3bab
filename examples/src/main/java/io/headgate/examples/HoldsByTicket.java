package io.headgate.examples;

import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A hold that another process can renew and release. */
public final class HoldsByTicket {

    private HoldsByTicket() {}

    /** Takes a hold by ticket, renews it, and releases it. */
    public static void main(String[] args) {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            InFlightLimiter exports = limits.inFlight("exports", 2);

            HoldTickets tickets = exports.async().tickets();
            CompletionStage<Hold> taken = tickets.tryAcquire("alice", Duration.ofSeconds(30));
            HoldTicket ticket = taken.toCompletableFuture().join().ticket().orElseThrow();

            CompletionStage<Boolean> held = tickets.renew(ticket, "alice", Duration.ofSeconds(30)); // in any process
            System.out.println(held.toCompletableFuture().join() ? "renewed" : "lost");

            CompletionStage<Boolean> released = tickets.release(ticket, "alice");
            System.out.println(released.toCompletableFuture().join() ? "released" : "lost");
        }
    }
}
