package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.queues.internal.job.JobRecord;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An audit finds corrupted state and nothing else; a repair fixes it, and each job is handed out once. */
class AuditIT extends AuditedQueue {

    @Test
    void a_header_that_counts_too_many_jobs() {
        setHeader(8, 1000, 6);
        assertMended(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_counts_too_few_leased_jobs() {
        setHeader(14, 1, 6);
        assertMended(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_forgot_what_was_cancelled() {
        setHeader(37, 0, 4);
        assertMended(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_whose_numbers_would_come_twice() {
        setHeader(2, 3, 6);
        assertMended(Kind.HEADER);
        queue.enqueue("new");
        assertNothing();
    }

    @Test
    void a_header_that_knows_of_no_lease_that_ends() {
        setHeader(27, 9007199254740991L, 7);
        assertMended(Kind.HEADER);
        redis.clock.advance(MINUTE);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_of_another_version() {
        setHeader(0, 9, 1);
        assertMended(Kind.HEADER);
        assertThat(redis.probe.command("LLEN", KEY + ":aside")).isEqualTo(1L);
        assertThat(queue.counts().paused()).isTrue();
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_is_gone() {
        redis.probe.command("DEL", KEY);
        assertMended(Kind.HEADER);
        queue.enqueue("new");
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "ready too", "later", "new");
    }

    @Test
    void a_key_of_no_job() {
        raw(
                "HSET",
                KEY + ":keys",
                "gone",
                new Packed().number(1, 1).number(999, 6).number(7, 7).bytes());
        raw("HSET", KEY + ":keys", "nonsense", "x");
        assertMended(Kind.KEY, Kind.KEY);
        assertAllHandedOutOnce();
    }

    @Test
    void a_key_of_another_job() {
        raw("HSET", KEY + ":keys", "another", raw("HGET", KEY + ":keys", "h"));
        raw("HSET", KEY + ":keys", "one more", raw("HGET", KEY + ":keys", "r"));
        assertMended(Kind.KEY, Kind.KEY);
        assertAllHandedOutOnce();
    }

    @Test
    void an_entry_that_leads_nowhere() {
        raw("HSET", KEY + ":places", new byte[] {0, 0, 0, 0, 9, 9}, new byte[15]);
        raw("HSET", KEY + ":places", "short", "x");
        assertMended(Kind.PLACE, Kind.PLACE);
        assertAllHandedOutOnce();
    }

    @Test
    void jobs_that_are_not_found_by_their_ids_any_more() {
        redis.probe.command("DEL", KEY + ":places");
        assertMended(Kind.PLACE, Kind.PLACE);
        assertThat(queue.find(cameBack)).isPresent();
        assertAllHandedOutOnce();
    }

    @Test
    void a_job_that_is_both_waiting_and_leased() {
        byte[] records = (byte[]) raw("HGET", KEY + ":records", token());
        JobRecord job = JobRecord.all(records).get(0);
        byte[] run = new Packed()
                .number(job.number(), 6)
                .number(job.dueMicros(), 7)
                .number(1, 2)
                .all(Arrays.copyOfRange(records, job.at(), job.end()))
                .bytes();
        raw("ZADD", KEY + ":waiting:1", job.dueMicros(), run);
        assertMended(Kind.TWICE, Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_job_that_waits_and_is_dead() {
        byte[] letter = bytes(raw("ZRANGE", KEY + ":dead", 0, 0), 0);
        raw("ZADD", KEY + ":waiting:1", Packed.number(letter, 6, 7), letter);
        assertThat(kinds(queue.audit())).contains(Kind.TWICE);
        queue.repair();
        assertNothing();
        assertThat(queue.find(queue.jobs(JobState.Kind.DEAD, 1).items().stream()
                        .findFirst()
                        .map(stored -> stored.job().id())
                        .orElse(cameBack)))
                .isPresent();
    }

    @Test
    void a_job_with_another_score_than_its_own() {
        byte[] later = bytes(raw("ZRANGE", KEY + ":waiting:1", -1, -1), 0);
        raw("ZADD", KEY + ":waiting:1", 5, later);
        assertThat(kinds(queue.audit())).containsExactly(Kind.ORDER);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void what_can_not_be_read_is_set_aside() {
        raw("RPUSH", HEADS, "nonsense");
        raw("RPUSH", RECORDS, "too");
        raw("ZADD", KEY + ":waiting:0", 7, "x");
        raw("ZADD", KEY + ":dead", 7, "y");
        assertThat(kinds(queue.audit())).containsExactly(Kind.UNREADABLE, Kind.UNREADABLE, Kind.UNREADABLE);
        queue.repair();
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1"))
                .isEqualTo(List.of("nonsense", "too", "x", "y"));
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_queue_that_is_not_there() {
        redis.probe.flushAll();
        assertThat(queue.audit()).isEqualTo(new AuditReport(0, List.of(), 0, 0));
        queue.repair();
        assertThat(redis.stored()).isEmpty();
    }
}
