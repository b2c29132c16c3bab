package io.headgate.redis.queues;

import io.headgate.queues.internal.JobSource.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Those who listen to the signals of a queue: of all its shards, also of those that it has from later on. Each signal is noted
 * once, however many listen.
 */
final class ShardSignals<T> {

    private final ShardTimes times;
    private final List<Ear> ears = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock: of the shards in their order, while anybody listens. */
    private final List<Subscription> listening = new ArrayList<>();

    ShardSignals(ShardTimes times) {
        this.times = times;
    }

    /** Somebody who listens. */
    private final class Ear implements Subscription {

        private final Runnable onSignal;

        Ear(Runnable onSignal) {
            this.onSignal = onSignal;
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (ears.remove(this)) {
                    times.listening(-1);
                    if (ears.isEmpty()) {
                        listening.forEach(Subscription::close);
                        listening.clear();
                    }
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Calls back at each signal until that is closed. */
    Subscription subscribe(KnownShards<T> known, Runnable onSignal) {
        Ear ear = new Ear(onSignal);
        lock.lock();
        try {
            ears.add(ear);
            times.listening(1);
            // Who adds shards later comes after this.
            listenTo(known.now());
        } finally {
            lock.unlock();
        }
        return ear;
    }

    private void listenTo(Shards<T> shards) {
        for (int i = listening.size(); i < shards.count(); i++) {
            int shard = i;
            listening.add(shards.at(shard).subscribe(() -> {
                times.signalled(shard);
                ears.forEach(ear -> ear.onSignal.run());
            }));
        }
    }

    /** Has all listen to these, too, and look for jobs there. */
    void more(Shards<T> shards) {
        lock.lock();
        try {
            times.grow(shards.count());
            if (!ears.isEmpty()) {
                listenTo(shards);
            }
        } finally {
            lock.unlock();
        }
        ears.forEach(ear -> ear.onSignal.run());
    }
}
