package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Rule;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The limiters of an engine before which somebody waits, or did: those that are told what comes free. */
final class Waiters {

    private final ReentrantLock lock = new ReentrantLock();

    /** One that nobody uses any more goes; before whom somebody waits is in use. */
    private final Set<RedisAsyncLimiter> limiters = Collections.newSetFromMap(new WeakHashMap<>());

    private volatile boolean any;

    /** From now on it is told, too. */
    void add(RedisAsyncLimiter limiter) {
        lock.lock();
        try {
            limiters.add(limiter);
            any = true;
        } finally {
            lock.unlock();
        }
    }

    /** So many permits were taken back in this engine by these rules of a policy. */
    void freed(String policy, Collection<Rule> rules, Attributes attributes, long permits) {
        for (RedisAsyncLimiter limiter : all()) {
            if (limiter.policy().name().equals(policy)) {
                limiter.freed(rules, attributes, permits);
            }
        }
    }

    /** They were in another one. */
    void freed(News.Freed freed) {
        all().forEach(limiter -> limiter.freed(freed));
    }

    /** Whether anybody waits now. */
    boolean areThere() {
        return all().stream().anyMatch(RedisAsyncLimiter::isWaitedFor);
    }

    /** Anything may have been taken back anywhere. */
    void askAgain() {
        all().forEach(RedisAsyncLimiter::askAgain);
    }

    private List<RedisAsyncLimiter> all() {
        if (!any) {
            return List.of();
        }
        lock.lock();
        try {
            return List.copyOf(limiters);
        } finally {
            lock.unlock();
        }
    }
}
