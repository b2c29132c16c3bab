package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Claims take jobs of all tenants in turn, and every operation includes the jobs of every tenant. The sorted set {@code turns:P} has the
 * tenants with waiting jobs of priority P; their scores, the turns, determine which tenant is next.
 */
class TenantsIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    @Test
    void a_single_job_does_not_wait_behind_the_many_jobs_of_another_tenant() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "big", 2000);
        enqueue(queue, "small", 1);
        assertThat(claimPayloads(queue, 2)).containsExactly("big 0", "small 0");
        assertThat(claimPayloads(queue, 2)).containsExactly("big 1", "big 2");
        enqueue(queue, "late", 1);
        assertThat(claimPayloads(queue, 2)).containsExactly("big 3", "late 0");
    }

    @Test
    void a_claim_is_divided_among_the_tenants_and_unused_shares_go_to_the_others() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 100);
        enqueue(queue, "b", 3);
        enqueue(queue, "c", 100);
        assertThat(countByTenant(claimPayloads(queue, 30))).isEqualTo(Map.of("a", 14, "b", 3, "c", 13));
        assertThat(countByTenant(claimPayloads(queue, 30))).isEqualTo(Map.of("a", 15, "c", 15));
    }

    @Test
    void over_many_claims_of_any_size_no_tenant_gets_more_than_one_job_more_than_another() {
        JobQueue<String> queue = redis.queue();
        List<String> tenants = List.of("a", "b", "c", "d", "e");
        tenants.forEach(tenant -> enqueue(queue, tenant, 200));
        Map<String, Integer> total = new TreeMap<>();
        for (int i = 0; i < 60; i++) {
            countByTenant(claimPayloads(queue, 1 + i % 13))
                    .forEach((tenant, count) -> total.merge(tenant, count, Integer::sum));
            assertThat(tenants.stream()
                            .mapToInt(tenant -> total.getOrDefault(tenant, 0))
                            .summaryStatistics())
                    .as("after claim " + i + ": " + total)
                    .satisfies(served ->
                            assertThat(served.getMax() - served.getMin()).isLessThanOrEqualTo(1));
        }
    }

    @Test
    void a_tenant_that_enqueues_one_job_after_another_does_not_starve_another_tenant() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "steady", 100);
        Map<String, Integer> total = new TreeMap<>();
        for (int i = 0; i < 40; i++) {
            if (total.getOrDefault("again", 0) >= i / 2) {
                enqueue(queue, "again", 1);
            }
            countByTenant(claimPayloads(queue, 1)).forEach((tenant, count) -> total.merge(tenant, count, Integer::sum));
            redis.clock.advance(Duration.ofMillis(1));
        }
        assertThat(total.get("steady")).isBetween(19, 21);
    }

    @Test
    void jobs_without_a_tenant_share_claims_like_the_jobs_of_a_tenant() {
        JobQueue<String> queue = redis.queue();
        OwnQueues.enqueue(queue, 100);
        enqueue(queue, "acme", 100);
        assertThat(countByTenant(claimPayloads(queue, 20))).isEqualTo(Map.of("", 10, "acme", 10));
    }

    @Test
    void a_higher_priority_goes_first_whichever_tenant_has_it() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 2);
        queue.enqueueAll(List.of(
                NewJob.of("urgent 0").tenant("b").priority(Priority.HIGH),
                NewJob.of("urgent 1").tenant("b").priority(Priority.HIGH)));
        assertThat(claimPayloads(queue, 3)).containsExactly("urgent 0", "urgent 1", "a 0");
    }

    @Test
    void a_delayed_job_becomes_ready_for_its_tenant_and_a_poll_returns_the_time_until_then() throws Exception {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 50);
        queue.enqueue(NewJob.of("later").tenant("b").after(Duration.ofSeconds(10)));
        assertThat(countByTenant(claimPayloads(queue, 49))).isEqualTo(Map.of("a", 49));
        assertThat(poll(queue, 10, Set.of()).moreInMicros()).isEqualTo(10_000_000);
        enqueue(queue, "a", 50);
        redis.clock.advance(Duration.ofSeconds(10));
        assertThat(claimPayloads(queue, 2)).containsExactlyInAnyOrder("a 0", "later");
    }

    @Test
    void excluded_tenants_are_not_claimed_and_keep_their_turn() throws Exception {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 10);
        enqueue(queue, "b", 10);
        OwnQueues.enqueue(queue, 1);
        assertThat(payloads(poll(queue, 3, Set.of("a", "")))).containsExactly("b 0", "b 1", "b 2");
        assertThat(payloads(poll(queue, 3, Set.of("a", "b", "unknown")))).containsExactly("job0");
        PollResult<String> none = poll(queue, 3, Set.of("a", "b"));
        assertThat(none.claimed()).isEmpty();
        assertThat(none.moreInMicros())
                .as("only jobs of excluded tenants are due")
                .isPositive();
        assertThat(countByTenant(claimPayloads(queue, 4))).isEqualTo(Map.of("a", 2, "b", 2));
    }

    @Test
    void a_job_keeps_its_tenant_through_retries_dead_letters_and_redrive() {
        JobQueue<String> queue = redis.queue();
        JobId id = queue.enqueue(
                        NewJob.of("x").tenant("acme").header("trace", "17").once("k"))
                .id();
        assertThat(id.value()).endsWith("-acme");
        assertThat(new JobId(id.value()).tenant()).contains("acme");
        Lease<String> lease = claim(queue, 1).get(0);
        assertThat(lease.job().tenant()).contains("acme");
        assertThat(lease.job().headers()).isEqualTo(Map.of("trace", "17"));
        assertThat(lease.job().key()).contains("k");
        assertThat(lease.id()).isEqualTo(id);
        assertThat(queue.find(id)).map(job -> job.state().kind()).contains(JobState.Kind.LEASED);
        lease.retry(Duration.ofSeconds(5), "no");
        assertThat(queue.find(id)).map(job -> job.state().kind()).contains(JobState.Kind.DELAYED);
        assertThat(queue.runNow(id)).isTrue();
        claim(queue, 1).get(0).deadLetter("no");
        StoredJob<String> dead = queue.find(id).orElseThrow();
        assertThat(dead.state().kind()).isEqualTo(JobState.Kind.DEAD);
        assertThat(dead.job().tenant()).contains("acme");
        assertThat(queue.deadLetters().redrive(id)).isTrue();
        Lease<String> again = claim(queue, 1).get(0);
        assertThat(again.id()).isEqualTo(id);
        assertThat(again.job().tenant()).contains("acme");
        assertThat(again.ack()).isEqualTo(Settled.DONE);
        assertThat(redis.stored().keySet()).as("nothing is left of the tenant").containsExactly("hg:q:{orders}");
    }

    @Test
    void a_job_of_a_tenant_whose_lease_expired_is_ready_again() {
        JobQueue<String> queue = redis.queue();
        JobId id = queue.enqueue(NewJob.of("x").tenant("acme")).id();
        claim(queue, 1);
        redis.clock.advance(LEASE);
        queue.pause();
        claim(queue, 1);
        assertThat(queue.find(id)).map(job -> job.state().kind()).contains(JobState.Kind.READY);
        assertThat(queue.audit().findings()).isEmpty();
        queue.resume();
        assertThat(claim(queue, 1).get(0).job().crashes()).isEqualTo(1);
    }

    @Test
    void a_key_is_unique_within_its_tenant() {
        JobQueue<String> queue = redis.queue();
        JobId acme = queue.enqueue(NewJob.of("x").tenant("acme").once("k")).id();
        assertThat(queue.enqueue(NewJob.of("x").tenant("b").once("k")).outcome())
                .isEqualTo(Enqueued.Outcome.ADDED);
        assertThat(queue.enqueue(NewJob.of("x").once("k")).outcome()).isEqualTo(Enqueued.Outcome.ADDED);
        Enqueued same = queue.enqueue(NewJob.of("y").tenant("acme").once("k"));
        assertThat(same).isEqualTo(new Enqueued(Enqueued.Outcome.SAME, acme));
        Enqueued other = queue.enqueue(
                NewJob.of("z").tenant("acme").priority(Priority.LOW).replacing("k"));
        assertThat(other.outcome()).isEqualTo(Enqueued.Outcome.REPLACED);
        assertThat(claimPayloads(queue, 10)).containsExactlyInAnyOrder("x", "x", "z");
    }

    @Test
    void jobs_of_several_tenants_are_enqueued_together_or_not_at_all() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withMaxJobs(3));
        List<NewJob<String>> jobs = IntStream.range(0, 4)
                .mapToObj(i -> NewJob.of("job" + i).tenant("t" + i))
                .toList();
        assertThat(ModelComparison.unlessFull(() -> queue.enqueueAll(jobs))).isEmpty();
        List<Enqueued> some = queue.enqueueAll(jobs.subList(0, 3));
        assertThat(some).extracting(one -> one.id().tenant().orElseThrow()).containsExactly("t0", "t1", "t2");
        assertThat(queue.counts().ready()).isEqualTo(3);
    }

    @Test
    void counts_pages_and_purges_include_the_jobs_of_all_tenants() {
        JobQueue<String> queue = redis.queue();
        OwnQueues.enqueue(queue, 2);
        for (int tenant = 0; tenant < 130; tenant++) {
            String name = "t" + tenant;
            queue.enqueueAll(List.of(
                    NewJob.of("now").tenant(name),
                    NewJob.of("later").tenant(name).after(Duration.ofMinutes(1))));
        }
        redis.clock.advance(Duration.ofSeconds(7));
        QueueCounts counts = queue.counts();
        assertThat(counts.ready()).isEqualTo(132);
        assertThat(counts.delayed()).isEqualTo(130);
        assertThat(counts.oldestDue()).contains(Duration.ofSeconds(7));
        assertThat(allIds(queue, JobState.Kind.READY)).hasSize(132).doesNotHaveDuplicates();
        assertThat(allIds(queue, JobState.Kind.DELAYED)).hasSize(130).doesNotHaveDuplicates();
        assertThat(queue.audit().jobs()).isEqualTo(262);
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(queue.purge(JobState.Kind.DELAYED, 100)).isEqualTo(100);
        assertThat(queue.purge(JobState.Kind.DELAYED, 100)).isEqualTo(30);
        assertThat(queue.purge(JobState.Kind.READY, 500)).isEqualTo(132);
        assertThat(redis.stored().keySet()).containsExactly("hg:q:{orders}");
    }

    @Test
    void cancelled_jobs_of_a_tenant_are_neither_found_nor_claimed() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 3);
        JobId ready = queue.jobs(JobState.Kind.READY, Cursor.START, 2)
                .items()
                .get(1)
                .job()
                .id();
        JobId delayed = queue.enqueue(NewJob.of("later").tenant("b").after(Duration.ofSeconds(1)))
                .id();
        assertThat(queue.cancel(ready)).isTrue();
        assertThat(queue.cancel(ready)).isFalse();
        assertThat(queue.cancel(delayed)).isTrue();
        assertThat(queue.find(ready)).isEmpty();
        redis.clock.advance(Duration.ofSeconds(1));
        assertThat(claimPayloads(queue, 10)).containsExactly("a 0", "a 2");
    }

    @Test
    void a_queue_opened_before_the_first_tenant_claims_its_jobs_after_reading_the_registry() {
        JobQueue<String> opened = redis.queue();
        assertThat(opened.counts().ready()).isZero();
        enqueue(redis.queue(), "a", 3);
        // One shard, and t because the queue has tenants.
        assertThat(redis.probe.command("HGET", "hg:queues", "orders")).isEqualTo("1t");
        assertThat(claimPayloads(opened, 10))
                .as("it reads the registry every ten seconds")
                .isEmpty();
        opened.shards();
        assertThat(claimPayloads(opened, 10)).containsExactly("a 0", "a 1", "a 2");
    }

    @Test
    void a_sharded_queue_counts_lists_and_claims_the_jobs_of_all_tenants() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withShards(3));
        for (int i = 0; i < 30; i++) {
            queue.enqueue(NewJob.of("job" + i).tenant("t" + i % 4));
        }
        assertThat(queue.counts().ready()).isEqualTo(30);
        assertThat(allIds(queue, JobState.Kind.READY)).hasSize(30);
        assertThat(redis.probe.command("HGET", "hg:queues", "orders")).isEqualTo("3t");
        assertThat(claimPayloads(queue, 500)).hasSize(30);
    }

    @Test
    void an_audit_finds_a_tenant_without_a_turn_and_a_repair_restores_its_turn() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 3);
        redis.probe.command("DEL", "hg:q:{orders}:turns:1");
        assertThat(claimPayloads(queue, 10)).isEmpty();
        assertThat(queue.audit().findings()).singleElement().satisfies(finding -> assertThat(
                        finding.kind() + " " + finding.detail())
                .isEqualTo("TURN tenant a"));
        assertThat(queue.repair().findings()).hasSize(1);
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(claimPayloads(queue, 10)).hasSize(3);
    }

    @Test
    void an_audit_or_repair_by_a_process_that_read_the_registry_before_the_first_tenant_changes_nothing() {
        JobQueue<String> opened = redis.queue();
        assertThat(opened.counts().ready()).isZero();
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 3);
        claim(queue, 1).get(0).retry(Duration.ofSeconds(1), "no");
        Map<String, String> stored = redis.stored();
        assertThat(opened.repair().findings()).isEmpty();
        assertThat(opened.audit().jobs()).isEqualTo(3);
        assertThat(redis.stored()).isEqualTo(stored);
        assertThat(claimPayloads(opened, 10))
                .as("the process uses tenants by now")
                .containsExactly("a 1", "a 2");
    }

    @Test
    void an_audit_with_many_tenants_does_not_compare_the_counts() {
        JobQueue<String> queue = redis.queue();
        for (int i = 0; i < 201; i++) {
            queue.enqueue(NewJob.of("job").tenant("t" + i));
        }
        assertThat(queue.audit().unchecked()).isEqualTo(1);
        assertThat(queue.audit().jobs()).isEqualTo(201);
    }

    @Test
    void a_queue_with_tenants_whose_header_is_lost_fails_until_it_is_repaired() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 3);
        redis.probe.command("DEL", "hg:q:{orders}");
        assertThatThrownBy(() -> claim(queue, 1)).hasMessageContaining("is gone");
        assertThat(queue.repair().findings()).isNotEmpty();
        queue.resume();
        assertThat(claimPayloads(queue, 10)).containsExactly("a 0", "a 1", "a 2");
    }

    @Test
    void a_tenant_keeps_its_turn_when_large_jobs_of_a_higher_priority_fill_the_claim() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "x", 20);
        enqueue(queue, "y", 20);
        Map<String, Integer> total = new TreeMap<>();
        for (int i = 0; i < 12; i++) {
            queue.enqueueAll(IntStream.range(0, 2)
                    .mapToObj(k -> NewJob.of("x".repeat(65_536)).tenant("h").priority(Priority.HIGH))
                    .toList());
            assertThat(claimPayloads(queue, 10)).hasSize(2).allMatch(payload -> payload.startsWith("xx"));
            countByTenant(claimPayloads(queue, 1)).forEach((tenant, count) -> total.merge(tenant, count, Integer::sum));
        }
        assertThat(total).isEqualTo(Map.of("x", 6, "y", 6));
    }

    @Test
    void jobs_without_a_tenant_can_be_excluded_in_a_queue_without_tenants() throws Exception {
        JobQueue<String> queue = redis.queue();
        OwnQueues.enqueue(queue, 2);
        assertThat(payloads(poll(queue, 10, Set.of("")))).isEmpty();
        assertThat(payloads(poll(queue, 10, Set.of("acme")))).containsExactly("job0", "job1");
    }

    @Test
    void a_cancelled_delayed_job_leaves_nothing_of_its_tenant() {
        JobQueue<String> queue = redis.queue();
        NewJob<String> later = NewJob.of("later").after(Duration.ofDays(1));
        JobId id = queue.enqueue(later.tenant("a")).id();
        JobId other = queue.enqueue(later.tenant("a").priority(Priority.LOW)).id();
        assertThat(queue.cancel(id)).isTrue();
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:turns:1")).isEqualTo(0L);
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:tenants")).isEqualTo(1L);
        assertThat(queue.cancel(other)).isTrue();
        assertThat(redis.stored().keySet()).containsExactly("hg:q:{orders}");
    }

    @Test
    void a_replaced_job_leaves_no_turn_for_its_old_priority_and_keeps_the_turn_of_its_priority() {
        JobQueue<String> queue = redis.queue();
        NewJob<String> later = NewJob.of("later").tenant("a").after(Duration.ofDays(1));
        queue.enqueue(later.replacing("k"));
        queue.enqueue(later.priority(Priority.LOW).replacing("k"));
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:turns:1")).isEqualTo(0L);
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:turns:2")).isEqualTo(1L);
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:tenants")).isEqualTo(1L);
        queue.enqueue(later.priority(Priority.LOW).after(Duration.ofDays(2)).replacing("k"));
        assertThat(redis.probe.command("ZCARD", "hg:q:{orders}:turns:2")).isEqualTo(1L);
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(queue.purge(JobState.Kind.DELAYED, 10)).isEqualTo(1);
        assertThat(redis.stored().keySet()).containsExactly("hg:q:{orders}");
    }

    @Test
    void an_audit_of_very_many_jobs_of_tenants_does_not_compare_the_counts() {
        JobQueue<String> queue = redis.queue();
        for (int i = 0; i < 30; i++) {
            enqueue(queue, "t" + i, 1000);
        }
        assertThat(queue.audit().unchecked()).isEqualTo(1);
        assertThat(queue.audit().jobs()).isEqualTo(30_000);
    }

    @Test
    void counts_read_a_bounded_number_of_list_entries_when_many_tenants_have_cancelled_jobs() {
        JobQueue<String> queue = redis.queue();
        for (int i = 0; i < 100; i++) {
            for (int k = 0; k < 4; k++) {
                JobId id = queue.enqueue(NewJob.of("job").tenant("t" + i)).id();
                assertThat(queue.cancel(id)).isTrue();
            }
            queue.enqueue(NewJob.of("job").tenant("t" + i));
        }
        long before = redis.probe.commandCalls().getOrDefault("LINDEX", 0L);
        assertThat(queue.counts().ready()).isEqualTo(100);
        assertThat(redis.probe.commandCalls().getOrDefault("LINDEX", 0L) - before)
                .isLessThan(800);
    }

    @Test
    void a_page_ends_after_many_tenants_without_jobs_in_its_state() {
        JobQueue<String> queue = redis.queue();
        queue.enqueue(NewJob.of("later").after(Duration.ofMinutes(1)));
        for (int i = 100; i < 300; i++) {
            queue.enqueue(NewJob.of("now").tenant("t" + i));
        }
        queue.enqueue(NewJob.of("later").tenant("z").after(Duration.ofMinutes(1)));
        Page<StoredJob<String>> page = queue.jobs(JobState.Kind.DELAYED, Cursor.START, 10);
        assertThat(page.items()).hasSize(1);
        assertThat(page.next()).isPresent();
        assertThat(queue.jobs(JobState.Kind.DELAYED, page.next().orElseThrow(), 10))
                .satisfies(last -> assertThat(last.items()).hasSize(1))
                .satisfies(last -> assertThat(last.next()).isEmpty());
    }

    @Test
    void a_repair_of_one_tenant_writes_to_no_other_tenant() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 2);
        List<Lease<String>> leases = claim(queue, 2);
        leases.get(0).retry(Duration.ofSeconds(10), "no");
        leases.get(1).retry(Duration.ofSeconds(20), "no");
        redis.probe.command("EVAL", """
                -- Stores the place of the first job with the tenant x, and the second job with a wrong score.
                local header, number = 'hg:q:{orders}', '\\0\\0\\0\\0\\0\\1'
                local place = redis.call('HGET', header .. ':places', number)
                redis.call('HSET', header .. ':places', number, place:sub(1, -2) .. 'x')
                local waiting = header .. ':t:a:waiting:1'
                redis.call('ZINCRBY', waiting, 5, redis.call('ZRANGE', waiting, 1, 1)[1])
                """, "0");
        assertThat(queue.repair().findings()).hasSize(2);
        assertThat(redis.probe.command("EXISTS", "hg:q:{orders}:t:x:waiting:1")).isEqualTo(0L);
        assertThat(queue.audit().findings()).isEmpty();
    }

    @Test
    void a_repair_that_renumbers_jobs_returns_them_to_their_own_tenant() {
        JobQueue<String> queue = redis.queue();
        enqueue(queue, "a", 3);
        redis.probe.command("RENAME", "hg:q:{orders}:t:a:ready-records:1", "hg:q:{orders}:t:b:ready-records:1");
        redis.probe.command("DEL", "hg:q:{orders}:t:a:ready:1", "hg:q:{orders}:turns:1", "hg:q:{orders}:tenants");
        redis.probe.command("ZADD", "hg:q:{orders}:tenants", "0", "b");
        assertThat(queue.repair().findings()).isNotEmpty();
        assertThat(redis.probe.command("EXISTS", "hg:q:{orders}:t:b:waiting:1")).isEqualTo(0L);
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(claimPayloads(queue, 10)).hasSize(3);
    }

    @Test
    void a_process_that_uses_tenants_registers_them_again_when_the_registry_lost_them() {
        JobQueue<String> producer = redis.queue();
        enqueue(producer, "a", 1);
        JobQueue<String> worker = redis.queue();
        worker.shards();
        redis.probe.command("HSET", "hg:queues", "orders", "1");
        worker.shards();
        assertThat(redis.probe.command("HGET", "hg:queues", "orders")).isEqualTo("1t");
    }

    private void enqueue(JobQueue<String> queue, String tenant, int jobs) {
        for (int from = 0; from < jobs; from += 500) {
            queue.enqueueAll(IntStream.range(from, Math.min(jobs, from + 500))
                    .mapToObj(i -> NewJob.of(tenant + " " + i).tenant(tenant))
                    .toList());
        }
    }

    private static List<Lease<String>> claim(JobQueue<String> queue, int max) {
        return queue.claim(max, LEASE);
    }

    private static List<String> claimPayloads(JobQueue<String> queue, int max) {
        return claim(queue, max).stream().map(lease -> lease.job().payload()).toList();
    }

    private static PollResult<String> poll(JobQueue<String> queue, int max, Set<String> excluded) throws Exception {
        PollRequest request = new PollRequest(max, LEASE, List.of()).withExcludedTenants(excluded);
        return queue.source().poll(request).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static List<String> payloads(PollResult<String> result) {
        return result.claimed().stream().map(job -> job.job().payload()).toList();
    }

    /** Returns the number of payloads of each tenant; a payload starts with the name of its tenant and a space. */
    private static Map<String, Integer> countByTenant(List<String> payloads) {
        return payloads.stream()
                .collect(Collectors.toMap(
                        payload -> payload.contains(" ") ? payload.substring(0, payload.indexOf(' ')) : "",
                        payload -> 1,
                        Integer::sum));
    }

    private static List<JobId> allIds(JobQueue<String> queue, JobState.Kind kind) {
        List<JobId> ids = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            Page<StoredJob<String>> page = queue.jobs(kind, next.get(), 50);
            page.items().forEach(job -> ids.add(job.job().id()));
            next = page.next();
        }
        return ids;
    }
}
