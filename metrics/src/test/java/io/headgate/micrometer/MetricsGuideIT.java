package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.sources.PolicyStatus;
import io.headgate.limits.Limit;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.RedisServer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The tables of docs/metrics.md have the meters that Prometheus receives, with their types, units and tags. */
@Timeout(180)
class MetricsGuideIT {

    private static final Pattern ROW =
            Pattern.compile("^\\| `(headgate[^`]*)` \\| (\\w+) \\| (\\w*) ?\\| ([^|]*)\\|.*");
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void the_guide_lists_every_meter() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (RedisServer redis = RedisServer.startOwn();
                RedisLimitEngine limits =
                        RedisLimitEngine.connect(RedisSettings.of(redis.url()).withTimeout(LONG));
                RedisQueueEngine queues =
                        RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(LONG));
                LimitMetrics limitMetrics = new LimitMetrics(limits);
                QueueMetrics queueMetrics = new QueueMetrics(queues)) {
            limitMetrics.bindTo(registry);
            queueMetrics.bindTo(registry);
            PolicyStatus status =
                    new PolicyStatus("test", "1", Instant.now(), Optional.empty(), Optional.empty(), 1, 0);
            new PolicyMetrics(() -> status).bindTo(registry);

            new WorkerMetrics(registry, "mails", 10);
            limits.limiter("none", Limit.slidingWindow(0, Duration.ofHours(1))).tryAcquire("alice");
            limits.inFlight("exports", 1).tryAcquire("alice");
            useEverything(queues.queue("mails", Codec.text()));
            redis.kill();
            assertThatThrownBy(() -> queues.queue("mails", Codec.text()).enqueue("d"))
                    .isInstanceOf(QueueException.class);

            SortedSet<String> meters = registry.getMeters().stream()
                    .map(MetricsGuideIT::row)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(meters).containsExactlyElementsOf(guide());
        }
    }

    private static void useEverything(JobQueue<String> mails) {
        mails.enqueue(NewJob.of("a").after(LONG));
        mails.enqueue("b");
        mails.cancel(mails.enqueue("c", LONG).id());
        mails.claim(1, LONG).get(0).deadLetter("no");
        mails.deadLetters().redriveOldest(1, Duration.ZERO);
        mails.purge(JobState.Kind.DELAYED, 1);
    }

    private static SortedSet<String> guide() throws Exception {
        return Files.readAllLines(Path.of("../docs/metrics.md")).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row(
                        row.group(1),
                        row.group(2),
                        row.group(3),
                        CODE.matcher(row.group(4))
                                .results()
                                .map(found -> found.group(1))
                                .toList()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String row(Meter meter) {
        String type = meter instanceof FunctionCounter
                ? "counter"
                : meter.getId().getType().name().toLowerCase(Locale.ROOT);
        return row(
                meter.getId().getName(),
                type,
                Optional.ofNullable(meter.getId().getBaseUnit()).orElse(""),
                meter.getId().getTags().stream().map(Tag::getKey).toList());
    }

    private static String row(String name, String type, String unit, List<String> tags) {
        return name + " " + type + " " + unit + " " + tags.stream().sorted().toList();
    }
}
