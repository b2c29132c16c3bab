package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.queues.QueueTemplate;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters of queues and of policies that change, in the registry of an application. */
class MetersIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    private static final String POLICIES =
            "policies: { api: { rules: { per-user: { by: user, sliding-window: { permits: %s, window: 1h } } } } }";

    @Test
    void queues_are_counted_from_their_first_use_and_policies_by_their_versions(@TempDir Path folder) throws Exception {
        Path policies = Files.writeString(folder.resolve("policies.yaml"), POLICIES.formatted(5));
        try (RedisServer redis = RedisServer.startOwn();
                Operated application = Operated.reactive(
                        "headgate.redis.timeout=30s", "headgate: { redis: { url: \"" + redis.url() + "\" }, policies-from: \"file:" + policies + "\" }")) {
            MeterRegistry meters = application.context.getBean(MeterRegistry.class);
            assertThat(meters.find("headgate.jobs.enqueued").counter()).isNull();
            assertThat(meters.get("headgate.policies.applied").functionCounter().count()).isEqualTo(1);

            application.context.getBean(QueueTemplate.class).enqueue("mails", "welcome");
            assertThat(meters.get("headgate.jobs.enqueued")
                            .tags("queue", "mails", "result", "added")
                            .counter()
                            .count())
                    .isEqualTo(1);

            Files.writeString(policies, POLICIES.formatted(-5));
            Await.until("the rejected version", LONG, () -> rejected(meters) == 1);
            assertThat(meters.get("headgate.policies.outdated").gauge().value()).isEqualTo(1);
        }
    }

    private static double rejected(MeterRegistry meters) {
        return meters.get("headgate.policies.rejected").functionCounter().count();
    }
}
