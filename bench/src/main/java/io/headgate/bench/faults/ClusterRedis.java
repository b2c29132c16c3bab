package io.headgate.bench.faults;

import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisServer;
import java.time.Duration;

/** Three masters with a replica each. */
record ClusterRedis(RedisCluster all) implements FaultPlace {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static ClusterRedis open(String... arguments) {
        return new ClusterRedis(RedisCluster.start(arguments));
    }

    @Override
    public String url() {
        return all.url();
    }

    /** Kills one, waits until its replica has taken over, and starts it again as the replica of that. */
    void replace(RedisServer master) {
        master.kill();
        startAgain(master);
    }

    /** The same with a replica that had heard nothing of it for some time. */
    void replaceByReplicaBehind(RedisServer master) {
        Behind.kill(master, all.replicasOf(master));
        startAgain(master);
    }

    private void startAgain(RedisServer master) {
        all.awaitOk(PATIENCE);
        master.restart();
        all.awaitOk(PATIENCE);
    }

    @Override
    public void close() {
        all.close();
    }
}
