package io.headgate.bench.run;

import io.headgate.testkit.RedisServer;

/** What the figures depend on beyond what is measured. */
final class Environment {

    private Environment() {}

    /** The Redis, the Java and the machine, in one line. */
    static String describe(RedisServer redis) {
        return redis.description() + ", Java " + Runtime.version() + ", "
                + Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch");
    }
}
