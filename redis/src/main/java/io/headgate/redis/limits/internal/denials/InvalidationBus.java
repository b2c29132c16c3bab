package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Attributes;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.BoundedId;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Exchanges invalidations between instances by publish and subscribe. After a refund or a reset, other instances drop cached denials
 * and wake waiting requests, and waiting requests of this engine are woken directly. After an update of a policy, other instances drop
 * cached denials. Delivery is best effort. If a message is lost or never sent, an instance detects within a second that a denial no
 * longer holds.
 *
 * <p>An engine subscribes with its first cached denial or its first waiting request, over the connection of its {@link Signals}.
 * Safe for use by several threads.
 */
public final class InvalidationBus implements RefundListener {

    /** A limiter whose requests may wait for permits. */
    public interface WaitingLimiter {

        /** The policy that the requests wait for. */
        Policy policy();

        /** Whether any request waits now. */
        boolean hasWaiting();

        /** Wakes requests that may be admitted with these permits, which were refunded in this engine. */
        void wake(Collection<Rule> rules, Attributes attributes, long permits);

        /** Wakes requests that may be admitted with these permits, which were refunded in another instance. */
        void wake(Invalidation.OfIds refunded);

        /** Wakes the first request for each key, as any permits may have been refunded. */
        void wakeAll();
    }

    private static final int SENDER_BYTES = 12;

    private final boolean betweenInstances;
    private final String channel;
    private final String sender;
    private final RedisExecutor executor;
    private final Signals signals;
    private final DenialCache denials;
    private final InvalidationSender outgoing;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    private final ReentrantLock lock = new ReentrantLock();

    /** Weak, so that an unused limiter can be collected; one with a waiting request is in use. Guarded by the lock. */
    private final Set<WaitingLimiter> waiters = Collections.newSetFromMap(new WeakHashMap<>());

    private volatile boolean anyWaiters;

    /**
     * Creates the bus of an engine.
     *
     * @param betweenInstances whether invalidations are sent to and received from other instances
     * @param denials the denials that this engine has cached
     */
    public InvalidationBus(
            boolean betweenInstances, Keys keys, RedisExecutor executor, Signals signals, DenialCache denials) {
        this.betweenInstances = betweenInstances;
        this.channel = keys.invalidationChannel();
        this.sender = newSenderId();
        this.executor = executor;
        this.signals = signals;
        this.denials = denials;
        this.outgoing = new InvalidationSender(sender, this::publish, this::schedule);
    }

    private static String newSenderId() {
        byte[] random = new byte[SENDER_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    @Override
    public void refunded(PolicyPlanner planner, Collection<Rule> rules, Attributes attributes, long permits) {
        if (permits == 0) {
            return;
        }
        String policy = planner.policy().name();
        for (WaitingLimiter one : allWaiters()) {
            if (one.policy().name().equals(policy)) {
                one.wake(rules, attributes, permits);
            }
        }
        if (!betweenInstances) {
            return;
        }
        for (Rule rule : rules) {
            List<String> ids = attributes.idsOf(rule);
            // Denials of longer ids are not cached.
            if (ids.stream().allMatch(id -> id.length() <= BoundedId.MAX_LENGTH)) {
                outgoing.add(new Invalidation.OfIds(planner.stem(rule), ids, permits));
            }
        }
    }

    /** Sends an invalidation of each rule that an update of its policy has changed or removed. */
    public void policyUpdated(PolicyPlanner before, Collection<Rule> changed) {
        if (betweenInstances) {
            changed.forEach(rule -> outgoing.add(new Invalidation.OfRule(before.stem(rule))));
        }
    }

    /** Wakes all waiting requests of this engine. */
    public void wakeAll() {
        allWaiters().forEach(WaitingLimiter::wakeAll);
    }

    /** Wakes the waiting requests of a limiter from now on. */
    public void register(WaitingLimiter limiter) {
        lock.lock();
        try {
            waiters.add(limiter);
            anyWaiters = true;
        } finally {
            lock.unlock();
        }
    }

    /** Receives the invalidations of other instances from now on; does nothing when called again. */
    public void subscribe() {
        if (betweenInstances && !subscribed.get() && subscribed.compareAndSet(false, true)) {
            signals.listen(channel, this::receive);
        }
    }

    /** Sends the pending invalidations, within the timeout, and accepts no more. */
    public void close(Duration timeout) {
        try {
            outgoing.close().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Other instances detect outdated denials by themselves within a second.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void receive(String message) {
        if (message.isEmpty()) {
            // From Signals, after each subscription.
            mayHaveMissed();
            return;
        }
        for (Invalidation invalidation : InvalidationCodec.decode(message, sender)) {
            long nowNanos = System.nanoTime();
            if (invalidation instanceof Invalidation.OfIds ofIds) {
                denials.released(ofIds.stem(), ofIds.ids(), nowNanos);
                allWaiters().forEach(one -> one.wake(ofIds));
            } else {
                denials.ruleChanged(invalidation.stem(), nowNanos);
            }
        }
    }

    /**
     * Wakes all waiting requests after the subscription has started, or was renewed after a reconnect: messages before that are lost.
     * Without waiting requests, nothing needs to be done, as cached denials are checked within a second anyway.
     */
    private void mayHaveMissed() {
        if (allWaiters().stream().anyMatch(WaitingLimiter::hasWaiting)) {
            // A woken request would be denied from the cache otherwise.
            denials.clear(System.nanoTime());
            // Read the limiters again: a request of one that has registered meanwhile may have been denied by the cache
            // before it was cleared.
            wakeAll();
        }
    }

    private List<WaitingLimiter> allWaiters() {
        if (!anyWaiters) {
            return List.of();
        }
        lock.lock();
        try {
            return List.copyOf(waiters);
        } finally {
            lock.unlock();
        }
    }

    private CompletionStage<Boolean> publish(String message) {
        return executor.command(
                        "PUBLISH",
                        channel.getBytes(StandardCharsets.US_ASCII),
                        message.getBytes(StandardCharsets.UTF_8))
                // This engine is one of the receivers if it has subscribed. A node of a Cluster counts only its own
                // subscribers.
                .thenApply(receivers ->
                        executor.isCluster() || ByteBuffer.wrap(receivers).getLong() > (subscribed.get() ? 1 : 0));
    }

    private void schedule(Runnable task, Duration delay) {
        if (!executor.threads().isShuttingDown()) {
            executor.threads().schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
