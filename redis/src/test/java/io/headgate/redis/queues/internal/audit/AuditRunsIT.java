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

/** An audit finds where heads and records of runs in lists are lost or don't fit, and repair loses no job that can be read. */
class AuditRunsIT extends AuditedQueue {

    @Test
    void a_run_that_is_in_the_list_twice() {
        raw("RPUSH", HEADS, bytes(raw("LRANGE", HEADS, 0, 0), 0));
        raw("RPUSH", RECORDS, bytes(raw("LRANGE", RECORDS, 0, 0), 0));
        assertThat(kinds(queue.audit())).contains(Kind.ORDER);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_run_that_is_out_of_order() {
        raw("RPUSH", HEADS, raw("LPOP", HEADS));
        raw("RPUSH", RECORDS, raw("LPOP", RECORDS));
        assertThat(kinds(queue.audit())).containsExactly(Kind.ORDER);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    /** A repair reports it, and nothing else that is new. */
    private void assertRuns(int runs) {
        assertThat(kinds(queue.audit())).containsOnly(Kind.RUN);
        assertThat(kinds(queue.repair()).stream().filter(Kind.RUN::equals)).hasSize(runs);
        assertNothing();
    }

    @Test
    void heads_that_are_gone() {
        redis.probe.command("DEL", HEADS);
        assertRuns(4);
        assertAllHandedOutOnce();
    }

    @Test
    void records_that_are_gone() {
        redis.probe.command("DEL", RECORDS);
        assertRuns(4);
        assertThat(redis.probe.command("LLEN", KEY + ":aside")).isEqualTo(4L);
        assertHandedOutOnce("came back", "leased", "too", "later");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void a_head_that_is_gone(int which) {
        raw("LREM", HEADS, 1, bytes(raw("LRANGE", HEADS, which, which), 0));
        assertRuns(1);
        assertAllHandedOutOnce();
    }

    @Test
    void records_of_a_run_that_are_gone() {
        raw("LREM", RECORDS, 1, bytes(raw("LRANGE", RECORDS, 0, 0), 0));
        assertRuns(1);
        assertHandedOutOnce("came back", "leased", "too", "ready", "ready too", "later");
    }

    @Test
    void records_that_are_gone_behind() {
        raw("RPOP", RECORDS);
        assertRuns(1);
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    @Test
    void heads_and_records_that_are_gone_of_different_runs() {
        raw("LPOP", HEADS);
        raw("RPOP", RECORDS);
        assertThat(kinds(queue.audit())).contains(Kind.RUN);
        queue.repair();
        assertNothing();
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    @Test
    void records_that_are_too_many() {
        raw("RPUSH", RECORDS, "nonsense");
        assertRuns(1);
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1")).isEqualTo(List.of("nonsense"));
        assertAllHandedOutOnce();
    }

    @ParameterizedTest
    @CsvSource({"13, 2", "14, 1", "14, 9", "17, 5"})
    void a_head_that_says_other_than_its_records(int at, int value) {
        byte[] head = bytes(raw("LRANGE", HEADS, 0, 0), 0);
        head[at] = (byte) value;
        raw("LSET", HEADS, 0, head);
        assertRuns(1);
        assertAllHandedOutOnce();
    }

    @Test
    void a_head_that_can_not_be_read() {
        raw("LSET", HEADS, 2, "nonsense");
        assertRuns(1);
        assertAllHandedOutOnce();
    }

    @Test
    void records_that_can_not_be_read_are_set_aside_with_their_head() {
        byte[] head = bytes(raw("LRANGE", HEADS, 3, 3), 0);
        raw("LSET", RECORDS, 3, "nonsense");
        assertMended(Kind.UNREADABLE);
        assertThat(bytes(raw("LRANGE", KEY + ":aside", 0, -1), 0))
                .isEqualTo(new Packed()
                        .all(Arrays.copyOf(head, 15))
                        .all("nonsense".getBytes(StandardCharsets.UTF_8))
                        .bytes());
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "later");
    }

    /** Heads are broken in all ways at once, and each job is handed out all the same. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void any_heads_may_be_broken(int seed) {
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
        assertNothing();
        assertHandedOutOnce(payloads.toArray(String[]::new));
    }

    @Test
    void a_long_list_is_counted_piece_by_piece() {
        for (int i = 0; i < 1500; i++) {
            queue.enqueue("job" + i);
        }
        setHeader(8, 5000, 6);
        assertMended(Kind.HEADER);
        assertThat(queue.counts().ready()).isEqualTo(1505);
    }
}
