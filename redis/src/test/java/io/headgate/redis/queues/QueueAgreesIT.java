package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueSettings;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * A queue on Redis answers every question of a random history as the model does: in which order jobs come, what is told of
 * them, which leases are held, how many jobs are where. In the end nothing is left over that belongs to no job.
 *
 * <p>A failure prints the shortest history that was found, and the seed that finds it again.
 */
class QueueAgreesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final ManualClock CLOCK = ManualClock.atMicros(0);
    private static final RedisProbe PROBE = RedisProbe.of(REDIS.url());
    private static @Nullable RedisQueues engine;

    @BeforeContainer
    static void open() {
        engine = RedisQueues.builder()
                .url(REDIS.url())
                .timeout(Duration.ofMinutes(1))
                .timeMicros(CLOCK::nowMicros)
                .build();
    }

    @AfterContainer
    static void close() {
        Objects.requireNonNull(engine).close();
        PROBE.close();
        REDIS.close();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_short_histories(@ForAll("histories") List<QueueStep> history) {
        play(history, 1000);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 100)
    void on_long_histories(@ForAll("longHistories") List<QueueStep> history) {
        play(history, 1000);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_a_queue_that_is_often_full(@ForAll("histories") List<QueueStep> history) {
        play(history, 12);
    }

    private static void play(List<QueueStep> history, long maxJobs) {
        CLOCK.setMicros(1_000_000_000_000L);
        QueueSettings settings = new QueueSettings("agree" + HISTORIES.incrementAndGet(), maxJobs, 1000, 3);
        Queue<String> queue = Objects.requireNonNull(engine).queue(settings, Codec.text());
        QueuePlay play = new QueuePlay(queue, new QueueModel(maxJobs, 3), CLOCK);
        history.forEach(play::step);
        play.finish();
        assertThat(PROBE.command("KEYS", "hg:q:{" + settings.name() + "}:*"))
                .isEqualTo(
                        play.deadLetters() == 0
                                ? List.of()
                                : PROBE.command("KEYS", "hg:q:{" + settings.name() + "}:[dp]*"));
    }

    @Provide
    Arbitrary<List<QueueStep>> histories() {
        return steps().list().ofMinSize(1).ofMaxSize(40);
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
