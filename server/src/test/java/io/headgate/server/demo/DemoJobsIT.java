package io.headgate.server.demo;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The jobs of the demo, in a real Redis. */
class DemoJobsIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void some_jobs_are_retried_and_some_become_dead_letters_until_the_traffic_ends() {
        try (RedisServer redis = RedisServer.startOwn();
                DemoJobs jobs = DemoJobs.on(redis.url(), "hg", LONG)) {
            jobs.begin();
            Await.until("jobs of all outcomes", LONG, () -> jobs.counts()
                    .line()
                    .matches("jobs enqueued [1-9]\\d*, done [1-9]\\d*, retried [1-9]\\d*, dead letters [1-9]\\d*, .*"));
            jobs.end();
            Await.until("the last jobs", LONG, () -> jobs.counts().line().endsWith(", waiting 0"));
        }
    }
}
