package io.headgate.redis.queues;

import io.headgate.queues.internal.WorkSource.Listening;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Those who listen to the signals of a queue: of all its shards, also of those that it has from later on. */
final class ShardSignals<T> {

    private final ShardTimes times;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Set<Ear> ears = new LinkedHashSet<>();

    ShardSignals(ShardTimes times) {
        this.times = times;
    }

    /** Somebody who listens. */
    private final class Ear implements Listening {

        private final Runnable onSignal;
        private final List<Listening> all = new ArrayList<>();

        Ear(Runnable onSignal) {
            this.onSignal = onSignal;
        }

        void listen(Shards<T> shards) {
            for (int i = all.size(); i < shards.count(); i++) {
                listen(shards.at(i));
            }
        }

        void listen(RedisAsyncQueue<T> shard) {
            all.add(shard.listen(() -> {
                times.signalled(shard.shard());
                onSignal.run();
            }));
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (ears.remove(this)) {
                    all.forEach(Listening::close);
                    times.listening(-1);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Calls back at each signal until that is closed. */
    Listening listen(KnownShards<T> known, Runnable onSignal) {
        Ear ear = new Ear(onSignal);
        // To listen first may connect, which must not hold up those who hear of more shards.
        ear.listen(known.now().at(0));
        lock.lock();
        try {
            // Whoever adds shards later comes after this.
            ears.add(ear);
            times.listening(1);
            ear.listen(known.now());
        } finally {
            lock.unlock();
        }
        return ear;
    }

    /** Has all listen to these, too, and look for jobs there. */
    void more(Shards<T> shards) {
        List<Ear> all;
        lock.lock();
        try {
            times.grow(shards.count());
            ears.forEach(ear -> ear.listen(shards));
            all = List.copyOf(ears);
        } finally {
            lock.unlock();
        }
        all.forEach(ear -> ear.onSignal.run());
    }
}
