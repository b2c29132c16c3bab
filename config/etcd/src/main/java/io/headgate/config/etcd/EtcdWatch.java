package io.headgate.config.etcd;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreKeys;
import io.headgate.config.internal.stores.StoreWatch;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Notices another current version, or shadow version: by a watch, and by reading it every second, which also notices a connection that carries nothing. */
final class EtcdWatch implements StoreWatch.Source {

    /** The period of reads. */
    static final Duration POLL = Duration.ofSeconds(1);

    /** How long to wait before a watch that has ended is started again, so that one that etcd rejects is not started all the time. */
    private static final long RESTART_MILLIS = 200;

    private final EtcdLink link;
    private final EtcdStorage storage;
    private final KeyWatch watch;
    private final long pollMillis;
    private final Semaphore woken = new Semaphore(0);
    private final Semaphore closing = new Semaphore(0);

    /** The revision of the last read. Of the thread of the watch. */
    private long readAt;

    EtcdWatch(EtcdLink link, StoreKeys keys, EtcdStorage storage, Duration poll) {
        this.link = link;
        this.storage = storage;
        this.pollMillis = poll.toMillis();
        this.watch = new KeyWatch(EtcdLink.bytes(keys.current()), woken::release);
    }

    /** Lets the next read begin now. */
    void wake() {
        woken.release();
    }

    @Override
    public StoreWatch.Found read() {
        try {
            EtcdStorage.Read found = storage.readChanges();
            readAt = found.readAt();
            return new StoreWatch.Found(true, found.changedAt(), found.shadowChangedAt());
        } catch (StoreFailure e) {
            return StoreWatch.Found.NOTHING;
        }
    }

    @Override
    public void replied() {
        watch.ensure(link.client(), readAt + 1);
    }

    @Override
    public void await() throws InterruptedException {
        if (woken.tryAcquire(pollMillis, TimeUnit.MILLISECONDS)) {
            woken.drainPermits();
        }
        if (watch.hasEnded()) {
            closing.tryAcquire(RESTART_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void stop() {
        closing.release();
    }

    @Override
    public void ended() {
        watch.close();
    }
}
