package io.headgate.bench.peers;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.run.RedisAccess;
import java.util.function.Function;

/**
 * A measured queue: of Headgate, of a peer, or of bare Redis commands.
 *
 * @param name its name in tables and in JSON
 * @param divisor the divisor of the number of jobs: above 1 for a slow queue
 * @param opener connects to Redis
 */
public record QueueSubject(String name, int divisor, Function<RedisAccess, PeerQueue> opener) {

    /** A queue with an asynchronous API. */
    public static QueueSubject of(String name, Function<RedisAccess, AsyncJobs> opener) {
        return new QueueSubject(name, 1, access -> new AsyncPeerQueue(opener.apply(access)));
    }

    public PeerQueue open(RedisAccess access) {
        return opener.apply(access);
    }
}
