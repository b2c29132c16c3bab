package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * A queue on Redis agrees with the model in every step of a random history: on the order of jobs, their fields, their leases, and the
 * number of jobs in each state. In the end, nothing is stored that belongs to no job.
 *
 * <p>A failure prints the shortest history that was found, and the seed that finds it again.
 */
public class QueueAgreesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final ManualClock CLOCK = ManualClock.atMicros(0);
    private static final RedisProbe PROBE = RedisProbe.of(REDIS.url());
    private static final List<String> TENANTS = List.of("", "acme", "b", "c.d-e_f");
    private static @Nullable RedisQueueEngine engine;

    @BeforeContainer
    static void open() {
        engine = RedisQueueEngine.builder(RedisSettings.of(REDIS.url()).withTimeout(Duration.ofMinutes(1)))
                .timeMicros(CLOCK::nowMicros)
                .build();
    }

    @AfterContainer
    static void close() {
        Objects.requireNonNull(engine).close();
        PROBE.close();
        REDIS.close();
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_short_histories(@ForAll("histories") List<QueueStep> history) {
        replay(history, 1000, KeepDone.none());
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 60)
    void queue_and_model_agree_on_long_histories(@ForAll("longHistories") List<QueueStep> history) {
        replay(history, 1000, KeepDone.none());
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_a_queue_that_is_often_full(@ForAll("histories") List<QueueStep> history) {
        replay(history, 12, KeepDone.none());
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_a_queue_that_keeps_some_done_jobs(@ForAll("histories") List<QueueStep> history) {
        replay(history, 12, KeepDone.newest(3));
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_a_queue_that_keeps_done_jobs_for_some_time(
            @ForAll("histories") List<QueueStep> history) {
        replay(history, 1000, KeepDone.forTime(Duration.ofMillis(20)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 60)
    void queue_and_model_agree_on_long_histories_with_a_number_and_a_time_of_kept_jobs(
            @ForAll("longHistories") List<QueueStep> history) {
        replay(history, 1000, new KeepDone(5, Duration.ofMillis(30)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_a_queue_with_tenants(@ForAll("histories") List<QueueStep> history) {
        replay(history, 1000, KeepDone.none(), TENANTS);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 250)
    void queue_and_model_agree_on_a_queue_with_tenants_that_is_often_full_and_keeps_done_jobs(
            @ForAll("histories") List<QueueStep> history) {
        replay(history, 12, KeepDone.newest(3), TENANTS);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 60)
    void queue_and_model_agree_on_long_histories_of_a_queue_with_tenants(
            @ForAll("longHistories") List<QueueStep> history) {
        replay(history, 1000, KeepDone.forTime(Duration.ofMillis(30)), TENANTS);
    }

    private static void replay(List<QueueStep> history, long maxJobs, KeepDone keepDone) {
        replay(history, maxJobs, keepDone, List.of(""));
    }

    private static void replay(List<QueueStep> history, long maxJobs, KeepDone keepDone, List<String> tenants) {
        CLOCK.setMicros(1_000_000_000_000L);
        QueueSettings settings = QueueSettings.of("agree" + HISTORIES.incrementAndGet())
                .withMaxJobs(maxJobs)
                .withMaxPayloadBytes(1000)
                .withMaxCrashes(3)
                .withKeepDone(keepDone);
        JobQueue<String> queue = Objects.requireNonNull(engine).queue(settings, Codec.text());
        ModelComparison comparison = new ModelComparison(queue, new QueueModel(maxJobs, 3, keepDone), CLOCK, tenants);
        history.forEach(comparison::step);
        comparison.finish();
        String header = "hg:q:{" + settings.name() + "}";
        long done = comparison.done();
        assertThat(PROBE.command("ZCARD", header + ":done")).isEqualTo(done);
        assertThat(PROBE.command("HLEN", header + ":keys")).isEqualTo(comparison.keysOfDone());
        assertThat(PROBE.command("HLEN", header + ":places")).isEqualTo(done + comparison.deadLetters());
        // Only done jobs, dead letters, keys and places are left, which the pattern matches.
        assertThat(keys(header + ":*"))
                .isEqualTo(done + comparison.deadLetters() == 0 ? Set.of() : keys(header + ":[dkp]*"));
    }

    /** As a set: the order of KEYS may change between two calls. */
    private static Set<?> keys(String pattern) {
        return Set.copyOf((List<?>) Objects.requireNonNull(PROBE.command("KEYS", pattern)));
    }

    @Provide
    Arbitrary<List<QueueStep>> histories() {
        // Uniform sizes: the beginning of a long history also finds what a short history finds.
        return steps().list().ofMinSize(1).ofMaxSize(70).withSizeDistribution(RandomDistribution.uniform());
    }

    @Provide
    Arbitrary<List<QueueStep>> longHistories() {
        return steps().list().ofMinSize(100).ofMaxSize(400);
    }

    private static Arbitrary<QueueStep> steps() {
        Arbitrary<Integer> small = Arbitraries.integers().between(0, 11);
        return Combinators.combine(Arbitraries.of(QueueStep.Kind.values()), small, small, small)
                .as(QueueStep::new);
    }
}
