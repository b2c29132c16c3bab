package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.NewJob;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.redis.internal.script.Packed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An audit finds lost or inconsistent heads and records in the lists of ready jobs, and a repair loses no readable job.
 * {@link AuditedQueue} describes runs, heads and records.
 */
class AuditRunsIT extends AuditedQueue {

    @Test
    void a_run_that_is_listed_twice_is_handed_out_once() {
        raw("RPUSH", HEADS, bytes(raw("LRANGE", HEADS, 0, 0), 0));
        raw("RPUSH", RECORDS, bytes(raw("LRANGE", RECORDS, 0, 0), 0));
        assertThat(kinds(queue.audit())).contains(Kind.ORDER);
        queue.repair();
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    @Test
    void a_run_that_is_out_of_order_is_repaired() {
        raw("RPUSH", HEADS, raw("LPOP", HEADS));
        raw("RPUSH", RECORDS, raw("LPOP", RECORDS));
        assertThat(kinds(queue.audit())).containsExactly(Kind.ORDER);
        queue.repair();
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    /** Asserts that an audit finds only inconsistent runs, and that a repair reports and fixes this number of them. */
    private void assertRunsRepaired(int runs) {
        assertThat(kinds(queue.audit())).containsOnly(Kind.RUN);
        assertThat(kinds(queue.repair()).stream().filter(Kind.RUN::equals)).hasSize(runs);
        assertNoFindings();
    }

    @Test
    void lost_heads_are_rebuilt_from_their_records() {
        redis.probe.command("DEL", HEADS);
        assertRunsRepaired(4);
        assertAllHandedOutOnce();
    }

    @Test
    void heads_whose_records_are_lost_are_set_aside() {
        redis.probe.command("DEL", RECORDS);
        assertRunsRepaired(4);
        assertThat(redis.probe.command("LLEN", KEY + ":aside")).isEqualTo(4L);
        assertHandedOutOnce("came back", "leased", "too", "later");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void one_lost_head_is_rebuilt_from_its_records(int which) {
        raw("LREM", HEADS, 1, bytes(raw("LRANGE", HEADS, which, which), 0));
        assertRunsRepaired(1);
        assertAllHandedOutOnce();
    }

    @Test
    void lost_records_of_the_first_run_lose_no_other_job() {
        raw("LREM", RECORDS, 1, bytes(raw("LRANGE", RECORDS, 0, 0), 0));
        assertRunsRepaired(1);
        assertHandedOutOnce("came back", "leased", "too", "ready", "ready too", "later");
    }

    @Test
    void lost_records_of_the_last_run_lose_no_other_job() {
        raw("RPOP", RECORDS);
        assertRunsRepaired(1);
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    @Test
    void a_lost_head_of_one_run_and_lost_records_of_another_lose_no_other_job() {
        raw("LPOP", HEADS);
        raw("RPOP", RECORDS);
        assertThat(kinds(queue.audit())).contains(Kind.RUN);
        queue.repair();
        assertNoFindings();
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    @Test
    void surplus_records_are_set_aside() {
        raw("RPUSH", RECORDS, "nonsense");
        assertRunsRepaired(1);
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1")).isEqualTo(List.of("nonsense"));
        assertAllHandedOutOnce();
    }

    @ParameterizedTest
    // Bytes 13 and 14 of a head are the number of jobs, and 15 to 17 the size of their records.
    @CsvSource({"13, 2", "14, 1", "14, 9", "17, 5"})
    void a_head_that_contradicts_its_records_is_repaired(int at, int value) {
        byte[] head = bytes(raw("LRANGE", HEADS, 0, 0), 0);
        head[at] = (byte) value;
        raw("LSET", HEADS, 0, head);
        assertRunsRepaired(1);
        assertAllHandedOutOnce();
    }

    @Test
    void an_unreadable_head_is_rebuilt_from_its_records() {
        raw("LSET", HEADS, 2, "nonsense");
        assertRunsRepaired(1);
        assertAllHandedOutOnce();
    }

    @Test
    void unreadable_records_are_set_aside_with_their_head() {
        byte[] head = bytes(raw("LRANGE", HEADS, 3, 3), 0);
        raw("LSET", RECORDS, 3, "nonsense");
        assertRepaired(Kind.UNREADABLE);
        assertThat(bytes(raw("LRANGE", KEY + ":aside", 0, -1), 0))
                .isEqualTo(new Packed()
                        .all(Arrays.copyOf(head, 15))
                        .all("nonsense".getBytes(StandardCharsets.UTF_8))
                        .bytes());
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    /** Breaks several heads in random ways. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void each_job_is_handed_out_once_whichever_heads_are_broken(int seed) {
        Random random = new Random(seed);
        List<String> payloads = new ArrayList<>(
                List.of("came back", "leased", "too", "run1", "run2", "run3", "ready", "ready too", "later"));
        for (int i = 0; i < 40; i++) {
            String payload = i + "x".repeat(random.nextInt(5));
            int jobs = 1 + random.nextInt(3);
            queue.enqueueAll(Collections.nCopies(jobs, NewJob.of(payload)));
            payloads.addAll(Collections.nCopies(jobs, payload));
        }
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            int at = random.nextInt(30);
            byte[] head = bytes(raw("LRANGE", HEADS, at, at), 0);
            switch (random.nextInt(5)) {
                case 0 -> raw("LREM", HEADS, 1, head);
                case 1 -> raw("LINSERT", HEADS, "BEFORE", head, "nonsense" + i);
                case 2 -> {
                    head[random.nextInt(head.length)]++;
                    raw("LSET", HEADS, at, head);
                }
                case 3 -> raw("RPUSH", HEADS, raw("LPOP", HEADS));
                default -> raw("LTRIM", HEADS, random.nextInt(3), -1 - random.nextInt(3));
            }
        }
        queue.repair();
        assertNoFindings();
        assertHandedOutOnce(payloads.toArray(String[]::new));
    }

    @Test
    void the_jobs_of_a_list_of_many_runs_are_all_counted() {
        for (int i = 0; i < 1500; i++) {
            queue.enqueue("job" + i);
        }
        setHeaderNumber(8, 5000, 6);
        assertRepaired(Kind.HEADER);
        assertThat(queue.counts().ready()).isEqualTo(1505);
    }
}
