package com.example;

import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimitEngine;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.netty.util.Version;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Uses a limiter and a queue, and fails unless the expected versions of Lettuce and Netty are on its class path. */
public final class Application {

    private Application() {}

    /** Runs the checks; the arguments are the expected versions of Lettuce and of Netty. */
    public static void main(String[] args) throws Exception {
        try (RedisServer redis = RedisServer.startOwn()) {
            limit(redis.url());
            queue(redis.url());
        }
        requireVersions(args[0], args[1]);
    }

    private static void limit(String redis) {
        try (LimitEngine limits = RedisLimitEngine.connect(redis)) {
            Limiter logins = limits.limiter("logins", Limit.slidingWindow(2, Duration.ofMinutes(1)));
            require(logins.tryAcquire("alice").allowed(), "the first request is allowed");
            require(logins.tryAcquire("alice").allowed(), "the second request is allowed");
            require(!logins.tryAcquire("alice").allowed(), "the third request is denied");
        }
    }

    private static void queue(String redis) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> mails = queues.queue("mails", Codec.text());
            try (Worker worker = Worker.of(mails).start(job -> done.countDown())) {
                mails.enqueue("welcome, alice");
                mails.enqueue("how do you like it?", Duration.ofMillis(100));
                require(done.await(30, TimeUnit.SECONDS), "both jobs are handled");
            }
        }
    }

    private static void requireVersions(String lettuce, String netty) throws Exception {
        require(jar(RedisClient.class).equals("lettuce-core-" + lettuce + ".jar"), "Lettuce " + lettuce + " is loaded");
        Map<String, Version> artifacts = new TreeMap<>(Version.identify());
        artifacts.remove("netty-tcnative"); // it has versions of its own
        System.out.println("found: " + artifacts.values());
        require(artifacts.containsKey("netty-common"), "the artifacts of Netty are found");
        require(
                artifacts.values().stream().allMatch(one -> one.artifactVersion().equals(netty)),
                "every artifact of Netty is " + netty);
    }

    private static String jar(Class<?> type) throws Exception {
        URL location = type.getProtectionDomain().getCodeSource().getLocation();
        return String.valueOf(Path.of(location.toURI()).getFileName());
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("expected: " + what);
        }
        System.out.println("ok: " + what);
    }
}
