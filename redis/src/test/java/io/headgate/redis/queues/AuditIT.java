package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AuditFinding;
import io.headgate.queues.AuditFinding.Kind;
import io.headgate.queues.AuditReport;
import io.headgate.queues.JobId;
import io.headgate.queues.JobState;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Queue;
import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An audit finds what somebody has broken, and nothing else; repair mends it, and each job is handed out once. */
class AuditIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String KEY = "hg:q:{orders}";

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private Queue<String> queue;
    private JobId cameBack;
    private Lease<String> inHand;

    AuditIT() {
        this.queue = redis.queue();
    }

    /** Jobs in every state and place. */
    @BeforeEach
    void fill() {
        queue = redis.queue();
        cameBack = queue.enqueue(NewJob.of("came back").once("c")).id();
        queue.enqueue("dead");
        queue.claim(1, MINUTE).get(0).retry(Duration.ofSeconds(5), "no");
        queue.claim(1, MINUTE).get(0).deadLetter("no");
        queue.enqueueAll(List.of(NewJob.of("in hand").once("h"), NewJob.of("too")));
        List<Lease<String>> leases = queue.claim(2, MINUTE);
        inHand = leases.get(0);
        queue.enqueueAll(List.of(NewJob.of("run1"), NewJob.of("run2"), NewJob.of("run3")));
        JobId cancelled = queue.enqueue("cancelled");
        queue.enqueue(NewJob.of("ready").once("r"));
        queue.enqueue("ready too");
        queue.enqueue(NewJob.of("later").once("l").after(MINUTE));
        queue.cancel(cancelled);
        assertNothing();
    }

    private void assertNothing() {
        AuditReport report = queue.audit();
        assertThat(report.findings()).isEmpty();
        assertThat(report.notTold()).isZero();
    }

    /** The audit finds these kinds of wrong things and changes nothing, the repair too, and then all is well. */
    private void assertMended(Kind... kinds) {
        assertThat(kinds(queue.audit())).containsExactlyInAnyOrder(kinds);
        AuditReport repair = queue.repair();
        assertThat(repair.findings()).allMatch(AuditFinding::mended);
        assertThat(kinds(repair)).contains(kinds[0]);
        assertNothing();
    }

    private static List<Kind> kinds(AuditReport report) {
        return report.findings().stream().map(AuditFinding::kind).toList();
    }

    private void assertHandedOutOnce(String... payloads) {
        queue.resume();
        redis.clock.advance(Duration.ofHours(1));
        List<String> handedOut = new ArrayList<>();
        for (List<Lease<String>> some = queue.claim(500, MINUTE); !some.isEmpty(); some = queue.claim(500, MINUTE)) {
            some.forEach(lease -> handedOut.add(lease.job().payload()));
            queue.ackAll(some);
        }
        assertThat(handedOut).containsExactlyInAnyOrder(payloads);
        assertThat(queue.counts().ready()
                        + queue.counts().delayed()
                        + queue.counts().leased())
                .isZero();
        assertThat(queue.deadLetters().list(10).items()).hasSize(1);
        assertNothing();
    }

    private void assertAllHandedOutOnce() {
        assertHandedOutOnce("came back", "in hand", "too", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    private Object raw(Object... parts) {
        return Objects.requireNonNull(redis.probe.commandBytes(Arrays.stream(parts)
                .map(part -> part instanceof byte[] bytes
                        ? bytes
                        : String.valueOf(part).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new)));
    }

    private static byte[] bytes(Object list, int index) {
        return (byte[]) Objects.requireNonNull(((List<?>) list).get(index));
    }

    private byte[] token() {
        return bytes(raw("HKEYS", KEY + ":held"), 0);
    }

    private void setHeader(int at, long value, int width) {
        byte[] header = (byte[]) raw("GET", KEY);
        System.arraycopy(new Packed().number(value, width).bytes(), 0, header, at, width);
        raw("SET", KEY, header);
    }

    @Test
    void a_header_that_counts_too_many_jobs() {
        setHeader(8, 1000, 6);
        assertMended(Kind.HEADER);
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_counts_too_few_jobs_in_hand() {
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
    void a_header_of_another_version() {
        setHeader(0, 9, 1);
        assertMended(Kind.HEADER);
        assertThat(queue.counts().paused()).isTrue();
        assertAllHandedOutOnce();
    }

    @Test
    void a_header_that_is_gone() {
        redis.probe.command("DEL", KEY);
        assertMended(Kind.HEADER);
        queue.enqueue("new");
        assertHandedOutOnce(
                "came back", "in hand", "too", "run1", "run2", "run3", "ready", "ready too", "later", "new");
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
    void a_claim_whose_jobs_are_gone() {
        redis.probe.command("DEL", KEY + ":records");
        assertMended(Kind.CLAIM, Kind.KEY);
        assertHandedOutOnce("came back", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    @Test
    void a_claim_of_which_it_is_not_known_what_is_in_hand() {
        redis.probe.command("DEL", KEY + ":held");
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_would_never_expire() {
        redis.probe.command("DEL", KEY + ":leases");
        assertMended(Kind.CLAIM);
        redis.clock.advance(MINUTE);
        assertAllHandedOutOnce();
    }

    @Test
    void a_lease_of_no_claim() {
        raw("ZADD", KEY + ":leases", 5, "token");
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_counts_too_many_in_hand() {
        inHand.ack();
        byte[] held = (byte[]) raw("HGET", KEY + ":held", token());
        held[3] = 2;
        raw("HSET", KEY + ":held", token(), held);
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNothing();
        assertHandedOutOnce("came back", "too", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    @Test
    void a_job_that_waits_and_is_in_hand() {
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
    void a_run_that_is_in_the_list_twice() {
        raw("RPUSH", KEY + ":ready:1", bytes(raw("LRANGE", KEY + ":ready:1", 0, 0), 0));
        assertThat(kinds(queue.audit())).contains(Kind.ORDER);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_run_that_is_out_of_order() {
        byte[] first = (byte[]) raw("LPOP", KEY + ":ready:1");
        raw("RPUSH", KEY + ":ready:1", first);
        assertThat(kinds(queue.audit())).containsExactly(Kind.ORDER);
        queue.repair();
        assertNothing();
        assertAllHandedOutOnce();
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
        raw("RPUSH", KEY + ":ready:1", "nonsense");
        raw("ZADD", KEY + ":waiting:0", 7, "x");
        raw("ZADD", KEY + ":dead", 7, "y");
        assertThat(kinds(queue.audit())).containsExactly(Kind.UNREADABLE, Kind.UNREADABLE, Kind.UNREADABLE);
        queue.repair();
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1")).isEqualTo(List.of("nonsense", "x", "y"));
        assertNothing();
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_can_not_be_read_is_set_aside() {
        raw("HSET", KEY + ":records", token(), "nonsense");
        assertThat(kinds(queue.audit())).contains(Kind.UNREADABLE);
        queue.repair();
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1")).isEqualTo(List.of("nonsense"));
        assertNothing();
        assertHandedOutOnce("came back", "run1", "run2", "run3", "ready", "ready too", "later");
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

    @Test
    void a_queue_that_is_not_there() {
        redis.probe.flushAll();
        assertThat(queue.audit()).isEqualTo(new AuditReport(0, List.of(), 0, 0));
        queue.repair();
        assertThat(redis.stored()).isEmpty();
    }
}
