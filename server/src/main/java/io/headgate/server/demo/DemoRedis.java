package io.headgate.server.demo;

import ch.qos.logback.classic.Level;
import io.headgate.server.cli.StartException;
import io.headgate.testkit.RedisServer;
import org.slf4j.LoggerFactory;

/** The Redis of a demo. */
final class DemoRedis {

    private DemoRedis() {}

    /** Starts a Redis on this machine only. */
    static RedisServer start() {
        try {
            return RedisServer.startOwn();
        } catch (IllegalStateException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Silences the warnings of Lettuce: Ctrl-C also reaches the Redis of the demo, which may stop before the server. */
    static void silenceConnectionWarnings() {
        if (LoggerFactory.getLogger("io.lettuce") instanceof ch.qos.logback.classic.Logger driver) {
            driver.setLevel(Level.ERROR);
        }
    }
}
