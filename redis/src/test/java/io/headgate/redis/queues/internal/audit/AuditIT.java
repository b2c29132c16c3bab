package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.queues.internal.job.JobRecord;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An audit finds corrupted state and nothing else; a repair fixes it, and then each job is handed out once. */
class AuditIT extends AuditedQueue {

    @Test
    void a_header_that_counts_too_many_jobs_is_repaired() {
        setHeaderNumber(8, 1000, 6);
        assertRepaired(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_counts_too_few_leased_jobs_is_repaired() {
        setHeaderNumber(14, 1, 6);
        assertRepaired(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_without_the_number_of_cancelled_jobs_is_repaired() {
        setHeaderNumber(37, 0, 4);
        assertRepaired(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_would_assign_numbers_twice_is_repaired() {
        setHeaderNumber(2, 3, 6);
        assertRepaired(Kind.HEADER);
        queue.enqueue("new");
        assertNoFindings();
    }

    @Test
    void a_header_without_the_next_lease_expiry_is_repaired() {
        // 2^53 - 1 is a time that is never reached.
        setHeaderNumber(27, 9007199254740991L, 7);
        assertRepaired(Kind.HEADER);
        redis.clock.advance(MINUTE);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_of_another_version_is_set_aside_and_rebuilt() {
        setHeaderNumber(0, 9, 1);
        assertRepaired(Kind.HEADER);
        assertThat(redis.probe.command("LLEN", KEY + ":aside")).isEqualTo(1L);
        assertThat(queue.counts().paused()).isTrue();
        assertAllHandedOutOnce();
    }

    @Test
    void a_lost_header_is_rebuilt() {
        redis.probe.command("DEL", KEY);
        assertRepaired(Kind.HEADER);
        queue.enqueue("new");
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "ready too", "later", "new");
    }

    @Test
    void a_key_without_a_job_is_repaired() {
        raw(
                "HSET",
                KEY + ":keys",
                "gone",
                new Packed().number(1, 1).number(999, 6).number(7, 7).bytes());
        raw("HSET", KEY + ":keys", "nonsense", "x");
        assertRepaired(Kind.KEY, Kind.KEY);
        assertAllHandedOutOnce();
    }

    @Test
    void a_key_that_refers_to_a_job_with_another_key_is_repaired() {
        raw("HSET", KEY + ":keys", "another", raw("HGET", KEY + ":keys", "h"));
        raw("HSET", KEY + ":keys", "one more", raw("HGET", KEY + ":keys", "r"));
        assertRepaired(Kind.KEY, Kind.KEY);
        assertAllHandedOutOnce();
    }

    @Test
    void a_place_without_a_job_is_repaired() {
        raw("HSET", KEY + ":places", new byte[] {0, 0, 0, 0, 9, 9}, new byte[15]);
        raw("HSET", KEY + ":places", "short", "x");
        assertRepaired(Kind.PLACE, Kind.PLACE);
        assertAllHandedOutOnce();
    }

    @Test
    void jobs_whose_places_are_lost_are_found_by_their_ids_again() {
        redis.probe.command("DEL", KEY + ":places");
        assertRepaired(Kind.PLACE, Kind.PLACE);
        assertThat(queue.find(cameBack)).isPresent();
        assertAllHandedOutOnce();
    }

    @Test
    void a_job_that_is_both_waiting_and_leased_is_handed_out_once() {
        byte[] records = (byte[]) raw("HGET", KEY + ":records", token());
        JobRecord job = JobRecord.all(records).get(0);
        byte[] run = new Packed()
                .number(job.number(), 6)
                .number(job.dueMicros(), 7)
                .number(1, 2)
                .all(Arrays.copyOfRange(records, job.at(), job.end()))
                .bytes();
        raw("ZADD", KEY + ":waiting:1", job.dueMicros(), run);
        assertRepaired(Kind.TWICE, Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_job_that_is_both_waiting_and_dead_is_kept_as_a_waiting_one() {
        JobId id = queue.jobs(JobState.Kind.DEAD, 1).items().get(0).job().id();
        byte[] letter = bytes(raw("ZRANGE", KEY + ":dead", 0, 0), 0);
        raw("ZADD", KEY + ":waiting:1", Packed.number(letter, 6, 7), letter);
        assertThat(kinds(queue.audit())).contains(Kind.TWICE);
        queue.repair();
        assertNoFindings();
        assertThat(queue.find(id)).map(job -> job.state().kind()).contains(JobState.Kind.READY);
        assertThat(queue.counts().dead()).isZero();
    }

    @Test
    void a_waiting_job_with_a_wrong_score_is_repaired() {
        byte[] later = bytes(raw("ZRANGE", KEY + ":waiting:1", -1, -1), 0);
        raw("ZADD", KEY + ":waiting:1", 5, later);
        assertThat(kinds(queue.audit())).containsExactly(Kind.ORDER);
        queue.repair();
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    @Test
    void unreadable_records_are_set_aside() {
        raw("RPUSH", HEADS, "nonsense");
        raw("RPUSH", RECORDS, "too");
        raw("ZADD", KEY + ":waiting:0", 7, "x");
        raw("ZADD", KEY + ":dead", 7, "y");
        assertThat(kinds(queue.audit())).containsExactly(Kind.UNREADABLE, Kind.UNREADABLE, Kind.UNREADABLE);
        queue.repair();
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1"))
                .isEqualTo(List.of("nonsense", "too", "x", "y"));
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    @Test
    void a_failed_repair_is_named_and_may_have_taken_effect_but_a_failed_audit_has_none() {
        redis.probe.command("DEL", KEY + ":dead");
        redis.probe.command("SET", KEY + ":dead", "foreign");
        assertThatThrownBy(queue::repair).isInstanceOfSatisfying(QueueException.class, failure -> {
            assertThat(failure).hasMessageContaining("repair").hasMessageContaining("it may have taken effect in part");
            assertThat(failure.mayBeDone()).isTrue();
        });
        assertThatThrownBy(queue::audit).isInstanceOfSatisfying(QueueException.class, failure -> {
            assertThat(failure).hasMessageContaining("audit").hasMessageNotContaining("effect");
            assertThat(failure.mayBeDone()).isFalse();
        });
    }

    @Test
    void an_audit_and_a_repair_of_a_missing_queue_create_nothing() {
        redis.probe.flushAll();
        assertThat(queue.audit()).isEqualTo(new AuditReport(0, List.of(), 0, 0));
        queue.repair();
        assertThat(redis.stored()).isEmpty();
    }
}
