package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AsyncHandler;
import io.headgate.queues.Codec;
import io.headgate.queues.FailurePolicy;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.RetryPolicy;
import io.headgate.queues.Settled;
import io.headgate.queues.WorkerListener;
import io.headgate.queues.internal.Handling;
import io.headgate.queues.internal.Settlement;
import io.headgate.queues.internal.Turn;
import io.headgate.queues.internal.Work;
import io.headgate.queues.internal.WorkSource;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A shard that hands out jobs and can't be told that they are dead letters, as another program's key is where those are kept: turn
 * by turn, what a worker asks of it.
 */
@Timeout(120)
class ShardLeftAloneIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SHARDS = 4;
    private static final int DEAF = 2;
    private static final String DEAD_LETTERS = "hg:q:{work:" + DEAF + "}:dead";

    private static final String READY = "hg:q:{work:" + DEAF + "}:ready:1";

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueues engine = Engines.queues(REDIS.url());
    private final Queue<String> queue = open();
    private final Turns turns = new Turns(queue);
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger acked = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    /**
     * One turn at the queue.
     *
     * @param told shards that were told what came of jobs, or tried to be
     * @param claimed shards of which jobs were claimed
     * @param failed shards that failed
     */
    private record Turned(Set<Integer> told, Set<Integer> claimed, Set<Integer> failed) {}

    /** The queue, and a note of each turn at it. */
    private static final class Turns implements WorkSource<String> {

        private final WorkSource<String> queue;
        private final List<Turned> all = new CopyOnWriteArrayList<>();

        @SuppressWarnings("unchecked") // a queue is where its workers have their jobs from
        Turns(Queue<String> queue) {
            this.queue = (WorkSource<String>) queue.async();
        }

        @Override
        public CompletionStage<Turn<String>> turn(int most, Duration lease, List<Settlement> settling) {
            return turn(most, Set.of(), lease, settling);
        }

        @Override
        public CompletionStage<Turn<String>> turn(
                int most, Set<Integer> without, Duration lease, List<Settlement> settling) {
            Set<Integer> told = settling.stream()
                    .map(said -> ((JobSettlement) said).shard())
                    .collect(Collectors.toSet());
            return queue.turn(most, without, lease, settling).thenApply(turn -> {
                Set<Integer> claimed = turn.claimed().stream().map(Work::shard).collect(Collectors.toSet());
                all.add(new Turned(told, claimed, turn.failed()));
                return turn;
            });
        }

        @Override
        public Listening listen(Runnable onSignal) {
            return queue.listen(onSignal);
        }

        long refused() {
            return all.stream().filter(turn -> turn.failed().contains(DEAF)).count();
        }
    }

    private Queue<String> open() {
        return engine.queue(QueueSettings.of("work").withShards(SHARDS), Codec.text());
    }

    @BeforeEach
    void make_one_shard_deaf() {
        probe.flushAll();
        probe.command("SET", DEAD_LETTERS, "foreign");
    }

    @AfterEach
    void close() {
        engine.close();
        probe.close();
    }

    /** Has so many jobs in each shard; those of the deaf one are to fail. */
    private void enqueue(int jobs) {
        enqueue(jobs, "k");
    }

    private void enqueue(int jobs, String keys) {
        for (int shard = 0; shard < SHARDS; shard++) {
            String payload = shard == DEAF ? "fails" : "succeeds";
            ShardKeys.of(keys, shard, SHARDS)
                    .limit(jobs)
                    .forEach(key -> queue.enqueue(NewJob.of(payload).once(key)));
        }
    }

    private Handling<String> begin() {
        return begun(heard -> Handling.blocking(
                job -> {
                    if (job.payload().equals("fails")) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("as a test");
                    }
                },
                turns,
                plan(4),
                heard));
    }

    private Handling<String> begin(AsyncHandler<String> handler) {
        return begun(heard -> Handling.async(handler, turns, plan(1000), heard));
    }

    private static Handling.Plan plan(int concurrency) {
        return new Handling.Plan(
                "queue work", concurrency, LONG, RetryPolicy.none(), (job, failure) -> FailurePolicy.Action.RETRY);
    }

    private Handling<String> begun(Function<List<WorkerListener>, Handling<String>> worker) {
        WorkerListener counting = new WorkerListener() {
            @Override
            public void onAcked(Job<?> job) {
                acked.incrementAndGet();
            }

            @Override
            public void onDeadLettered(Job<?> job, Throwable failure) {
                dead.incrementAndGet();
            }

            @Override
            public void onLeaseLost(JobId id) {
                lost.incrementAndGet();
            }
        };
        Handling<String> handling = worker.apply(List.of(counting));
        handling.begin();
        return handling;
    }

    @Test
    void it_is_asked_for_no_more_until_it_has_heard_what_came_of_those_before_and_the_others_go_on() {
        enqueue(400);
        Handling<String> worker = begin();
        Await.until("all of the others are handled", LONG, () -> acked.get() == 3 * 400);
        Await.until("it was told again and again", LONG, () -> turns.refused() >= 6);
        assertThat(dead).hasValue(0);
        worker.end(Duration.ZERO);
        assertThat(unheardAtTheEnd()).containsExactly(DEAF);
        assertThat(lost).hasValue(0);
    }

    /** Who has not heard what came of the last of its jobs; nothing was claimed of any such shard in between. */
    private Set<Integer> unheardAtTheEnd() {
        Set<Integer> unheard = new HashSet<>();
        for (Turned turn : turns.all) {
            Set<Integer> refused = new HashSet<>(turn.failed());
            refused.retainAll(turn.told());
            unheard.removeAll(turn.told());
            unheard.addAll(refused);
            assertThat(turn.claimed()).as("%s", turn).noneMatch(unheard::contains);
        }
        return unheard;
    }

    @Test
    void so_it_is_when_there_is_more_to_tell_than_one_call_can_say() {
        probe.command("SET", "hg:q:{work:1}:dead", "foreign");
        enqueue(250);
        List<CompletableFuture<Void>> ofOne = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> ofTwo = Collections.synchronizedList(new ArrayList<>());
        Handling<String> worker = begin(job -> {
            CompletableFuture<Void> done = new CompletableFuture<>();
            switch (Shards.ofKey(job.key().orElseThrow(), SHARDS)) {
                case 1 -> ofOne.add(done);
                case DEAF -> ofTwo.add(done);
                default -> done.complete(null);
            }
            return done;
        });
        Await.until("all are in hand", LONG, () -> ofOne.size() == 250 && ofTwo.size() == 250);
        ofOne.forEach(done -> done.completeExceptionally(new IllegalStateException("as a test")));
        ofTwo.forEach(done -> done.completeExceptionally(new IllegalStateException("as a test")));
        enqueue(5, "more");
        Await.until("they were told again and again", LONG, () -> turns.refused() >= 6);
        worker.end(Duration.ZERO);
        assertThat(unheardAtTheEnd()).containsExactlyInAnyOrder(1, DEAF);
    }

    @Test
    void a_job_that_is_handled_alone_does_not_wait_for_it() {
        probe.command("DEL", DEAD_LETTERS);
        queue.enqueue(NewJob.of("succeeds").once(ShardKeys.first("k", 1, SHARDS)));
        List<Lease<String>> leases = new ArrayList<>();
        for (int crashes = 0; crashes < 3; crashes++) {
            Duration lease = crashes == 2 ? LONG : Duration.ofMillis(10);
            int before = leases.size();
            Await.until("it is handed out", LONG, () -> {
                leases.addAll(queue.claim(1, lease));
                return leases.size() > before;
            });
        }
        probe.command("SET", DEAD_LETTERS, "foreign");
        enqueue(3, "more");
        Handling<String> worker = begin();
        Await.until("the others are handled", LONG, () -> acked.get() == 9 && turns.refused() >= 1);
        assertThat(leases.get(2).handBack(Duration.ZERO)).isEqualTo(Settled.DONE);
        Await.until("it is handled", LONG, () -> acked.get() == 10);
        assertThat(unheardAtTheEnd()).containsExactly(DEAF);
        worker.end(Duration.ZERO);
    }

    @Test
    void a_turn_that_is_refused_by_some_asks_the_others_whichever_comes_first() {
        probe.command("SET", "hg:q:{work:1}:dead", "foreign");
        enqueue(20);
        List<Settlement> buried = turn(20 * SHARDS, List.of()).claimed().stream()
                .filter(work -> work.shard() == 1 || work.shard() == DEAF)
                .map(work -> work.buryingFor("as a test"))
                .toList();
        enqueue(20, "more");
        for (int i = 0; i < SHARDS; i++) {
            Turn<String> turn = turn(4, buried);
            assertThat(turn.failed()).containsExactlyInAnyOrder(1, DEAF);
            assertThat(turn.trouble()).isPresent();
            assertThat(turn.claimed()).hasSize(4).noneMatch(work -> turn.failed()
                    .contains(work.shard()));
        }
    }

    @Test
    void a_shard_that_was_not_asked_has_not_failed() {
        probe.command("DEL", DEAD_LETTERS);
        for (String key : List.of("hg:q:{work}", "hg:q:{work:1}", "hg:q:{work:2}")) {
            probe.command("SET", key, "foreign");
        }
        for (int i = 0; i < 12; i++) {
            // A worker of its own: each begins at another shard.
            Turn<String> turn = new Turns(open())
                    .turn(100, LONG, List.of())
                    .toCompletableFuture()
                    .join();
            assertThat(turn.failed()).isNotEmpty().doesNotContain(3);
        }
    }

    @Test
    void what_a_shard_has_heard_stands_when_it_hands_out_nothing() {
        enqueue(20);
        List<Settlement> done = turn(20 * SHARDS, List.of()).claimed().stream()
                .filter(work -> work.shard() == DEAF)
                .map(Work::acking)
                .toList();
        probe.command("SET", READY, "foreign");
        int heard = 0;
        for (Settlement one : done) {
            // A worker of its own: each begins at another shard.
            Turn<String> turn = new Turns(open())
                    .turn(100, LONG, List.of(one))
                    .toCompletableFuture()
                    .join();
            assertThat(turn.failed()).containsExactly(DEAF);
            if (turn.again().isEmpty()) {
                assertThat(turn.settled()).containsExactly(Settled.DONE);
                heard++;
            }
        }
        // Where it is the first it hears and is asked in one call, which fails.
        assertThat(heard).isPositive();
    }

    @Test
    void a_shard_that_hands_out_nothing_hears_what_came_of_its_jobs() {
        probe.command("DEL", DEAD_LETTERS);
        enqueue(10);
        CountDownLatch goOn = new CountDownLatch(1);
        Handling<String> worker = begin(job -> CompletableFuture.runAsync(() -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        Await.until("all are in hand", LONG, () -> queue.counts().leased() == 10 * SHARDS);
        probe.command("SET", READY, "foreign");
        goOn.countDown();
        // Where one call acks and asks for more it fails once it has acked: said again, those leases are lost.
        Await.until("all are acked", LONG, () -> acked.get() + lost.get() == 10 * SHARDS);
        worker.end(LONG);
        probe.command("DEL", READY);
        assertThat(queue.counts().leased()).isZero();
    }

    private Turn<String> turn(int most, List<Settlement> settling) {
        return turns.turn(most, Set.of(), LONG, settling).toCompletableFuture().join();
    }

    @Test
    void a_worker_that_ends_waits_until_it_has_heard() throws Exception {
        enqueue(3);
        Handling<String> worker = begin();
        Await.until("the others are handled", LONG, () -> acked.get() == 9 && turns.refused() >= 2);
        long before = turns.refused();
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> worker.end(LONG));
        Await.until("it is told once more", LONG, () -> turns.refused() >= before + 2);
        assertThat(ended).isNotDone();
        probe.command("DEL", DEAD_LETTERS);
        ended.get(30, TimeUnit.SECONDS);
        assertThat(failures).hasPositiveValue();
        assertThat(dead).hasValue(failures.get());
        assertThat(queue.deadLetters().list(10).items()).hasSize(failures.get());
        assertThat(queue.counts().leased()).isZero();
    }
}
