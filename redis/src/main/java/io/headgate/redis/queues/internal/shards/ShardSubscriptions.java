package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.worker.JobSource.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The subscriptions of workers to the signals (Pub/Sub messages) of all shards of a queue, including shards that are added later. All
 * workers share one subscription to each shard. Each signal is also recorded in the {@link ShardSchedule}. Safe for use by several threads.
 */
final class ShardSubscriptions<T> {

    private final ShardSchedule schedule;
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** The subscriptions to the shards, in their order, while there are subscribers. Guarded by the lock. */
    private final List<Subscription> ofShards = new ArrayList<>();

    ShardSubscriptions(ShardSchedule schedule) {
        this.schedule = schedule;
    }

    private final class Subscriber implements Subscription {

        private final Runnable onSignal;

        Subscriber(Runnable onSignal) {
            this.onSignal = onSignal;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (subscribers.remove(this)) {
                    schedule.addSubscribers(-1);
                    if (subscribers.isEmpty()) {
                        ofShards.forEach(Subscription::close);
                        ofShards.clear();
                    }
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Runs the callback at each signal until the subscription is closed. */
    Subscription subscribe(ShardDirectory<T> directory, Runnable onSignal) {
        Subscriber subscriber = new Subscriber(onSignal);
        lock.lock();
        try {
            subscribers.add(subscriber);
            schedule.addSubscribers(1);
            // grow subscribes to shards that are added later; it waits for this lock.
            subscribeTo(directory.current());
        } finally {
            lock.unlock();
        }
        return subscriber;
    }

    private void subscribeTo(ShardMap<T> shards) {
        for (int i = ofShards.size(); i < shards.count(); i++) {
            int shard = i;
            ofShards.add(shards.at(shard).subscribe(() -> {
                schedule.signalled(shard);
                subscribers.forEach(subscriber -> subscriber.onSignal.run());
            }));
        }
    }

    /** Subscribes to the shards that were added, and signals the workers, which then poll them. */
    void grow(ShardMap<T> shards) {
        lock.lock();
        try {
            schedule.grow(shards.count());
            if (!subscribers.isEmpty()) {
                subscribeTo(shards);
            }
        } finally {
            lock.unlock();
        }
        subscribers.forEach(subscriber -> subscriber.onSignal.run());
    }
}
