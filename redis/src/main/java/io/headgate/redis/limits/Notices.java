package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.BoundedId;
import io.headgate.redis.internal.RedisExecutor;
import io.headgate.redis.internal.Signals;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who must know that something was taken back, or that a rule is another: those who wait in this engine, and other instances,
 * which forget the denials that they know of it and wake those who wait there. A notice may be lost, or never be sent: what is
 * known of denials is found out within a second all the same.
 *
 * <p>An engine listens from its first known denial or its first wait on, over the connection that hears signals.
 */
final class Notices {

    private final boolean betweenInstances;
    private final String channel;
    private final String sender;
    private final RedisExecutor executor;
    private final Signals signals;
    private final DenialsByRule denials;
    private final Outbox outbox;
    private final Waiters waiters = new Waiters();
    private final AtomicBoolean listening = new AtomicBoolean();

    /**
     * Those of an engine.
     *
     * @param betweenInstances whether other instances are told, and heard
     * @param denials what is known of each rule
     */
    Notices(boolean betweenInstances, Keys keys, RedisExecutor executor, Signals signals, DenialsByRule denials) {
        this.betweenInstances = betweenInstances;
        this.channel = keys.notices();
        this.sender = new OwnIds().next();
        this.executor = executor;
        this.signals = signals;
        this.denials = denials;
        this.outbox = new Outbox(sender, this::publish, this::later);
    }

    /** So many permits were taken back by these rules, or all that they had counted is forgotten. */
    void freed(PolicyPlanner planner, Collection<Rule> rules, Attributes attributes, long permits) {
        if (permits == 0) {
            return;
        }
        waiters.freed(planner.policy().name(), rules, attributes, permits);
        if (!betweenInstances) {
            return;
        }
        for (Rule rule : rules) {
            List<String> ids = attributes.idsOf(rule);
            // Of long ones no denial is known.
            if (ids.stream().allMatch(id -> id.length() <= BoundedId.MAX_LENGTH)) {
                outbox.add(new News.Freed(planner.stem(rule), ids, permits));
            }
        }
    }

    /** A policy is another from now on. */
    void changed(PolicyPlanner before, Policy now) {
        if (betweenInstances) {
            before.policy().rules().stream()
                    .filter(rule -> !now.rules().contains(rule))
                    .forEach(rule -> outbox.add(new News.Changed(before.stem(rule))));
        }
    }

    /** Somebody may wait before this limiter from now on. */
    void mayWait(RedisAsyncLimiter limiter) {
        waiters.add(limiter);
    }

    /** Sees to it that it is heard what others tell, as it matters from now on. */
    void listen() {
        if (betweenInstances && !listening.get() && listening.compareAndSet(false, true)) {
            signals.listen(channel, this::heard);
        }
    }

    /** Tells what is still to be told, which takes no longer than that, and nothing more. */
    void close(Duration atMost) {
        try {
            outbox.close().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Others find it out by themselves.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void heard(String notice) {
        if (notice.isEmpty()) {
            mayHaveMissed();
            return;
        }
        for (News news : NoticeText.read(notice, sender)) {
            long nowNanos = System.nanoTime();
            if (news instanceof News.Freed freed) {
                denials.find(freed.stem()).ifPresent(known -> known.released(freed.ids(), nowNanos));
                waiters.freed(freed);
            } else {
                denials.find(news.stem()).ifPresent(known -> known.forgetAll(nowNanos));
            }
        }
    }

    /** Listening has begun, or begun again. What is known is found out within a second, but who waits may sleep for long. */
    private void mayHaveMissed() {
        if (waiters.areThere()) {
            // Else they would be told what is known.
            denials.forgetAll(System.nanoTime());
            waiters.askAgain();
        }
    }

    private CompletionStage<Boolean> publish(String notice) {
        return executor.command(
                        "PUBLISH", channel.getBytes(StandardCharsets.US_ASCII), notice.getBytes(StandardCharsets.UTF_8))
                // A node of a Cluster knows only who listens to itself.
                .thenApply(receivers ->
                        executor.isCluster() || ByteBuffer.wrap(receivers).getLong() > (listening.get() ? 1 : 0));
    }

    private void later(Runnable going, Duration after) {
        if (!executor.threads().isShuttingDown()) {
            executor.threads().schedule(going, after.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
