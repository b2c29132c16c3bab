package io.headgate.bench.peers;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.run.RedisAccess;
import java.util.function.Function;

/**
 * A queue that is measured: ours, a peer's, or what a user would make of bare commands.
 *
 * @param name its name in tables and in JSON
 * @param share it is measured with one in so many of the jobs that the others get, as it is so much slower
 * @param opener connects to Redis
 */
public record QueueSubject(String name, int share, Function<RedisAccess, PeerQueue> opener) {

    /** One that is asked through futures. */
    public static QueueSubject of(String name, Function<RedisAccess, AsyncJobs> opener) {
        return new QueueSubject(name, 1, access -> new AsyncPeerQueue(opener.apply(access)));
    }

    public PeerQueue open(RedisAccess access) {
        return opener.apply(access);
    }
}
