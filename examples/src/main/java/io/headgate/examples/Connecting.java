package io.headgate.examples;

import io.headgate.config.settings.RedisConfig;
import io.headgate.config.settings.RedisEngineSettings;
import io.headgate.limits.LimitEngine;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import java.nio.file.Path;
import java.time.Duration;

/** Both engines on one Redis, with the same settings. */
public final class Connecting {

    private Connecting() {}

    /** Enqueues a mail if the limit admits it. */
    public static void main(String[] args) {
        String url = args.length > 0 ? args[0] : "redis://localhost:6379";
        RedisSettings redis =
                RedisSettings.of(url).withTimeout(Duration.ofSeconds(1)).withKeyPrefix("shop");
        try (LimitEngine limits = RedisLimitEngine.connect(redis);
                QueueEngine queues = RedisQueueEngine.connect(redis)) {
            if (limits.allow("alice", "send-mail", 5, Duration.ofDays(1))) {
                queues.queue("mails", Codec.text()).enqueue("welcome, alice");
                System.out.println("enqueued");
            }
        }
    }

    /** Connects both engines with the settings of a file. */
    static void fromFile(Path file) {
        RedisEngineSettings settings = RedisConfig.read(file);
        try (LimitEngine limits = settings.limits().build();
                QueueEngine queues = settings.queues().build()) {
            System.out.println(limits.health() + " " + queues.health());
        }
    }

    /** Settings for TLS, with your own certificate authority. */
    static RedisSettings withTls() {
        return RedisSettings.of("rediss://redis.example.com:6380").withTrustedCertificates(Path.of("authority.pem"));
    }
}
