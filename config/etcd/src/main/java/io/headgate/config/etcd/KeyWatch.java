package io.headgate.config.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import org.jspecify.annotations.Nullable;

/**
 * A watch of all keys that begin with a key, which ends at the first error. An error may be a lost connection, or the end of the watch: etcd ends a watch whose
 * revision was compacted, and never resumes it. In both cases, the caller must read the keys, and watch from the revision of that read.
 * For use by one thread.
 */
final class KeyWatch implements AutoCloseable {

    private final ByteSequence key;
    private final Runnable woken;
    private @Nullable Active active;

    /** A watch on a client, with the events that it has received. */
    private static final class Active implements Watch.Listener {

        private final Client client;
        private final Runnable woken;
        private volatile Watch.@Nullable Watcher watcher;
        private volatile boolean ended;

        Active(Client client, Runnable woken) {
            this.client = client;
            this.woken = woken;
        }

        @Override
        public void onNext(WatchResponse response) {
            woken.run();
        }

        @Override
        public void onError(Throwable error) {
            ended = true;
            woken.run();
        }

        @Override
        public void onCompleted() {
            ended = true;
            woken.run();
        }

        void close() {
            Watch.Watcher open = watcher;
            if (open != null) {
                open.close();
            }
        }
    }

    /**
     * Creates a watch, which does not start yet.
     *
     * @param woken is called on threads of the client after each event, and at the end of a watch
     */
    KeyWatch(ByteSequence key, Runnable woken) {
        this.key = key;
        this.woken = woken;
    }

    /** Whether a watch has ended, and was not started again. */
    boolean hasEnded() {
        Active now = active;
        return now != null && now.ended;
    }

    /** Starts a watch from this revision, unless one on this client has not ended. */
    void ensure(Client client, long revision) {
        Active now = active;
        if (now != null && now.client == client && !now.ended) {
            return;
        }
        close();
        Active next = new Active(client, woken);
        active = next;
        try {
            next.watcher = client.getWatchClient()
                    .watch(
                            key,
                            WatchOption.builder()
                                    .withRevision(revision)
                                    .isPrefix(true)
                                    .build(),
                            next);
        } catch (RuntimeException e) {
            next.ended = true; // the client was replaced or closed meanwhile
        }
    }

    @Override
    public void close() {
        Active now = active;
        if (now != null) {
            now.close();
        }
    }
}
