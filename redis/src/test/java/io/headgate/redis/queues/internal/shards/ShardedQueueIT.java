package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.PartialEnqueueException;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.redis.queues.OwnQueues;
import io.headgate.redis.queues.ShardKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One queue over several shards, with a clock that the test advances. */
class ShardedQueueIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SHARDS = 4;
    private static final QueueSettings SETTINGS = QueueSettings.of("orders").withShards(SHARDS);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private JobQueue<String> queue() {
        return redis.queue(SETTINGS);
    }

    /** Returns the shard of a job, which is the first byte of its id. */
    private static int shard(JobId id) {
        return Integer.parseInt(id.value().substring(0, 2), 16);
    }

    /** Returns keys that belong to a shard. */
    private static List<String> keys(int shard, int howMany) {
        return ShardKeys.of("key", shard, SHARDS).limit(howMany).toList();
    }

    /** Enqueues jobs in a shard. */
    private void fill(int shard, int jobs) {
        keys(shard, jobs)
                .forEach(key -> queue().enqueue(NewJob.of("of " + shard).once(key)));
    }

    private List<JobId> enqueue(int jobs) {
        JobQueue<String> queue = queue();
        return IntStream.range(0, jobs)
                .mapToObj(i -> queue.enqueue("job" + i).id())
                .toList();
    }

    private void assertCounts(long ready, long delayed, long leased, long dead) {
        QueueCounts counts = queue().counts();
        assertThat(List.of(counts.ready(), counts.delayed(), counts.leased(), counts.dead()))
                .containsExactly(ready, delayed, leased, dead);
    }

    @Test
    void jobs_are_spread_over_shards_and_their_ids_contain_the_shard() {
        List<JobId> ids = enqueue(8);
        assertThat(ids.stream().map(ShardedQueueIT::shard)).containsOnly(0, 1, 2, 3);
        assertThat(ids).doesNotHaveDuplicates();
        List<Lease<String>> leases = queue().claim(10, LEASE);
        assertThat(leases).extracting(Lease::id).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(leases).allSatisfy(lease -> assertThat(lease.job().id()).isEqualTo(lease.id()));
        assertCounts(0, 0, 8, 0);
        assertThat(leases.get(3).ack()).isEqualTo(Settled.DONE);
        List<Settled> settled = queue().ackAll(leases);
        assertThat(settled.get(3)).isEqualTo(Settled.LEASE_LOST);
        assertThat(settled.stream().filter(Settled.DONE::equals)).hasSize(7);
        assertThat((List<?>) redis.probe.command("KEYS", "hg:q:*"))
                .hasSize(4)
                .allSatisfy(key -> assertThat(String.valueOf(key)).matches("hg:q:\\{orders(:[123])?}"));
    }

    @Test
    void a_key_is_unique_over_all_shards() {
        for (int i = 0; i < 20; i++) {
            NewJob<String> job = NewJob.of("a").once("key" + i);
            Enqueued first = queue().enqueue(job);
            assertThat(shard(first.id())).isEqualTo(ShardMap.ofKey("key" + i, SHARDS));
            assertThat(queue().enqueue(job)).isEqualTo(new Enqueued(Enqueued.Outcome.SAME, first.id()));
            assertThat(queue().enqueue(NewJob.of("b").replacing("key" + i)).outcome())
                    .isEqualTo(Enqueued.Outcome.REPLACED);
        }
        assertCounts(20, 0, 0, 0);
    }

    @Test
    void a_kept_done_job_still_owns_its_key() {
        JobQueue<String> queue = redis.queue(SETTINGS.withKeepDone(KeepDone.newest(100)));
        for (int i = 0; i < 8; i++) {
            JobId id = queue.enqueue(NewJob.of("a").once("key" + i)).id();
            queue.claim(1, LEASE).get(0).ack();
            assertThat(queue.enqueue(NewJob.of("b").once("key" + i)))
                    .isEqualTo(new Enqueued(Enqueued.Outcome.SAME, id));
        }
        assertThat(queue.counts().done()).isEqualTo(8);
        assertThat(queue.jobs(JobState.Kind.DONE, 100).items()).hasSize(8);
    }

    @Test
    void a_batch_without_keys_and_groups_is_in_one_shard() {
        List<Enqueued> plain = queue().enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")));
        assertThat(plain.stream().map(one -> shard(one.id())).distinct()).hasSize(1);
    }

    @Test
    void each_job_of_a_batch_is_in_the_shard_of_its_group_or_else_of_its_key() {
        String key = keys(2, 1).get(0);
        String other = keys(3, 1).get(0);
        String group = keys(1, 1).get(0);
        List<NewJob<String>> jobs = List.of(
                NewJob.of("a").once(key),
                NewJob.of("b").group(group),
                NewJob.of("c").once(other),
                NewJob.of("d").once(key).group(group),
                NewJob.of("e").replacing(key),
                NewJob.of("f"));
        List<Enqueued> enqueued = queue().enqueueAll(jobs);
        assertThat(enqueued.stream().limit(5).map(one -> shard(one.id()))).containsExactly(2, 1, 3, 1, 2);
        assertThat(enqueued)
                .extracting(Enqueued::outcome)
                .containsExactly(
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.ADDED,
                        Enqueued.Outcome.REPLACED,
                        Enqueued.Outcome.ADDED);
        // The first job was replaced by the fifth.
        for (int i = 1; i < jobs.size(); i++) {
            assertThat(queue().find(enqueued.get(i).id()).orElseThrow().job().payload())
                    .isEqualTo(jobs.get(i).payload());
        }
        assertThat(queue().async()
                        .enqueueAll(jobs.subList(1, 4))
                        .toCompletableFuture()
                        .join())
                .extracting(Enqueued::outcome)
                .containsExactly(Enqueued.Outcome.ADDED, Enqueued.Outcome.SAME, Enqueued.Outcome.SAME);
    }

    @Test
    void jobs_of_one_group_are_all_enqueued_or_none() {
        JobQueue<String> queue = redis.queue(SETTINGS.withMaxJobs(8));
        // One more than the shard of the group has room for.
        List<NewJob<String>> three = IntStream.range(0, 3)
                .mapToObj(i -> NewJob.of("job" + i).group("order-7").once("key" + i))
                .toList();
        assertThatThrownBy(() -> queue.enqueueAll(three)).isExactlyInstanceOf(QueueFullException.class);
        assertCounts(0, 0, 0, 0);
        assertThat(queue.enqueueAll(three.subList(0, 2)).stream()
                        .map(one -> shard(one.id()))
                        .distinct())
                .containsExactly(ShardMap.ofKey("order-7", SHARDS));
    }

    @Test
    void when_the_shard_of_some_jobs_is_full_the_exception_contains_the_result_of_each_job() {
        JobQueue<String> queue = redis.queue(SETTINGS.withMaxJobs(8));
        List<String> full = keys(1, 3);
        queue.enqueueAll(
                List.of(NewJob.of("x").once(full.get(0)), NewJob.of("x").once(full.get(1))));
        List<NewJob<String>> jobs = List.of(
                NewJob.of("a").once(keys(2, 1).get(0)),
                NewJob.of("b").once(full.get(2)),
                NewJob.of("c"),
                NewJob.of("d").once(full.get(0)));
        assertThatThrownBy(() -> queue.enqueueAll(jobs))
                .isInstanceOfSatisfying(PartialEnqueueException.class, partial -> {
                    assertThat(partial.results().stream().map(Optional::isPresent))
                            .containsExactly(true, false, true, false);
                    assertThat(partial.failures().stream().map(Optional::isPresent))
                            .containsExactly(false, true, false, true);
                    assertThat(partial.failures().get(1).orElseThrow()).isInstanceOf(QueueFullException.class);
                    assertThat(partial.mayBeDone()).isTrue();
                    assertThat(partial.getMessage()).contains("2 of 4 jobs were enqueued");
                    assertThat(queue.find(partial.results().get(2).orElseThrow().id())
                                    .orElseThrow()
                                    .job()
                                    .payload())
                            .isEqualTo("c");
                });
        assertCounts(4, 0, 0, 0);
        // When every job fails and none may be in the queue, the exception is that failure itself.
        assertThatThrownBy(() -> queue.enqueueAll(
                        List.of(NewJob.of("b").once(full.get(2)), NewJob.of("d").group(full.get(0)))))
                .isExactlyInstanceOf(QueueFullException.class);
    }

    @Test
    void when_the_shard_of_some_jobs_fails_the_exception_contains_the_result_of_each_job() {
        redis.probe.command("SET", "hg:q:{orders:1}", "foreign");
        List<NewJob<String>> jobs = List.of(
                NewJob.of("a").group(keys(1, 1).get(0)),
                NewJob.of("b").group(keys(3, 1).get(0)));
        assertThatThrownBy(() -> queue().enqueueAll(jobs))
                .isInstanceOfSatisfying(PartialEnqueueException.class, partial -> {
                    assertThat(partial.failures().get(0).orElseThrow())
                            .hasMessageContaining("holds something that Headgate did not store");
                    assertThat(partial.failures().get(0).orElseThrow().mayBeDone())
                            .isFalse();
                    assertThat(shard(partial.results().get(1).orElseThrow().id()))
                            .isEqualTo(3);
                });
    }

    /** An application must not notice when an operator adds shards. */
    @Test
    void a_batch_has_the_same_results_on_every_number_of_shards() {
        Random random = new Random(4711);
        for (int round = 0; round < 30; round++) {
            List<List<NewJob<String>>> batches = new ArrayList<>();
            for (int batch = 0; batch < 5; batch++) {
                batches.add(IntStream.rangeClosed(0, random.nextInt(12))
                        .mapToObj(i -> randomJob(random))
                        .toList());
            }
            List<List<Enqueued.Outcome>> ofOneShard = outcomes("round" + round + "-1", 1, batches);
            for (int shards : List.of(2, 4, 64)) {
                assertThat(outcomes("round" + round + "-" + shards, shards, batches))
                        .as("%s on %s shards", batches, shards)
                        .isEqualTo(ofOneShard);
            }
        }
    }

    private static NewJob<String> randomJob(Random random) {
        NewJob<String> job = NewJob.of("job").after(Duration.ofSeconds(random.nextInt(2)));
        String key = "key" + random.nextInt(4);
        job = switch (random.nextInt(3)) {
            case 0 -> job.once(key);
            case 1 -> job.replacing(key);
            default -> job;
        };
        return random.nextBoolean() ? job.group("group" + random.nextInt(3)) : job;
    }

    private List<List<Enqueued.Outcome>> outcomes(String name, int shards, List<List<NewJob<String>>> batches) {
        JobQueue<String> queue = redis.queue(QueueSettings.of(name).withShards(shards));
        return batches.stream()
                .map(batch ->
                        queue.enqueueAll(batch).stream().map(Enqueued::outcome).toList())
                .toList();
    }

    @Test
    void the_largest_batch_goes_to_all_shards() {
        List<NewJob<String>> jobs = IntStream.range(0, 200)
                .mapToObj(i -> NewJob.of("job" + i).once("key" + i))
                .toList();
        List<Enqueued> enqueued = queue().enqueueAll(jobs);
        assertThat(enqueued.stream().map(one -> shard(one.id())).distinct()).hasSize(SHARDS);
        for (int i = 0; i < jobs.size(); i++) {
            assertThat(queue().find(enqueued.get(i).id()).orElseThrow().job().key())
                    .contains("key" + i);
        }
        assertThatThrownBy(() -> queue().enqueueAll(
                                Collections.nCopies(201, NewJob.of("a").once("k"))))
                .hasMessageContaining("number of delayed or keyed jobs must be from 0 to 200, was 201");
    }

    @Test
    void a_paused_queue_hands_out_nothing() {
        enqueue(8);
        queue().pause();
        assertThat(queue().claim(10, LEASE)).isEmpty();
        assertThat(queue().counts().paused()).isTrue();
        queue().resume();
        assertThat(queue().counts().paused()).isFalse();
        assertThat(queue().claim(10, LEASE)).hasSize(8);
    }

    @Test
    void counts_are_sums_over_all_shards() {
        enqueue(8);
        queue().enqueue("later", MINUTE);
        queue().claim(3, LEASE);
        redis.clock.advance(Duration.ofSeconds(5));
        enqueue(1);
        assertCounts(6, 1, 3, 0);
        assertThat(queue().counts().oldestDue()).isEqualTo(Optional.of(Duration.ofSeconds(5)));
    }

    @Test
    void a_claim_combines_the_due_jobs_of_several_shards() {
        fill(0, 3);
        fill(2, 20);
        assertThat(queue().claim(10, LEASE)).hasSize(10);
        assertThat(queue().claim(10, LEASE)).hasSize(10);
        assertThat(queue().claim(10, LEASE)).hasSize(3);
        assertThat(queue().claim(10, LEASE)).isEmpty();
    }

    @Test
    void a_shard_with_many_jobs_starves_no_other() {
        fill(1, 100);
        for (int shard : List.of(0, 2, 3)) {
            fill(shard, 1);
        }
        JobQueue<String> queue = queue();
        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            claimed.add(queue.claim(1, LEASE).get(0).job().payload());
        }
        assertThat(claimed).containsExactlyInAnyOrder("of 0", "of 1", "of 2", "of 3");
    }

    @Test
    void each_shard_has_its_part_of_maxJobs_and_jobs_without_a_key_avoid_a_full_shard() {
        JobQueue<String> queue = redis.queue(SETTINGS.withMaxJobs(8));
        List<String> keys = keys(1, 3);
        queue.enqueue(NewJob.of("a").once(keys.get(0)));
        queue.enqueue(NewJob.of("a").once(keys.get(1)));
        assertThatThrownBy(() -> queue.enqueue(NewJob.of("a").once(keys.get(2))))
                .isInstanceOf(QueueFullException.class)
                .hasMessageContaining("hg:q:{orders:1}");
        for (int i = 0; i < SHARDS; i++) {
            queue.enqueue("plain");
        }
        queue.enqueueAll(List.of(NewJob.of("b").once(keys(3, 1).get(0))));
        assertCounts(7, 0, 0, 0);
    }

    @Test
    void a_full_queue_rejects_jobs() {
        JobQueue<String> queue = redis.queue(SETTINGS.withMaxJobs(8));
        for (int i = 0; i < 8; i++) {
            queue.enqueue("job");
        }
        assertThatThrownBy(() -> queue.enqueue("more")).isInstanceOf(QueueFullException.class);
        assertThatThrownBy(() -> queue.enqueueAll(List.of(NewJob.of("more")))).isInstanceOf(QueueFullException.class);
        assertCounts(8, 0, 0, 0);
    }

    @Test
    void settings_out_of_range_are_rejected() {
        QueueSettings good = QueueSettings.of("orders");
        assertThatThrownBy(() -> good.withShards(0)).hasMessage("shards must be from 1 to 64, was 0");
        assertThatThrownBy(() -> good.withShards(65)).hasMessage("shards must be from 1 to 64, was 65");
        assertThatThrownBy(() -> good.withShards(8).withMaxJobs(7))
                .hasMessage("maxJobs must be from 8 to 1000000000, was 7");
    }

    @Test
    void a_lease_of_another_queue_is_refused_before_any_is_acked() {
        enqueue(2);
        JobQueue<String> other = redis.queue(QueueSettings.of("other").withShards(2));
        other.enqueue("a");
        List<Lease<String>> leases = new ArrayList<>(queue().claim(2, LEASE));
        leases.addAll(other.claim(1, LEASE));
        assertThatThrownBy(() -> queue().ackAll(leases))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a lease of another queue can't be acked at queue orders");
        assertCounts(0, 0, 2, 0);
    }

    @Test
    void a_failing_shard_does_not_block_claims_from_the_others() {
        enqueue(8);
        redis.probe.command("RENAME", "hg:q:{orders:2}", "elsewhere");
        redis.probe.command("SET", "hg:q:{orders:2}", "foreign");
        assertThat(queue().claim(10, LEASE)).hasSize(6);
        assertThatThrownBy(() -> queue().claim(10, LEASE)).isInstanceOf(QueueException.class);
        redis.probe.command("RENAME", "elsewhere", "hg:q:{orders:2}");
        assertThat(queue().claim(10, LEASE)).hasSize(2);
    }
}
