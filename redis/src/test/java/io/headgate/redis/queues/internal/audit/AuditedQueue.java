package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.queues.OwnQueues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Base of tests that corrupt a queue with jobs in every state and place, and then audit and repair it. A place is what stores a job: a list
 * of ready jobs, a sorted set of waiting jobs, a claim, or the dead letters.
 */
abstract class AuditedQueue {

    static final Duration MINUTE = Duration.ofMinutes(1);
    static final String KEY = "hg:q:{orders}";

    /**
     * The heads of the ready runs. A run has jobs with consecutive numbers and the same due time; its head states the first number, the due
     * time, and how many jobs the run has.
     */
    static final String HEADS = KEY + ":ready:1";

    /** The records of the jobs of each ready run, in the order of the heads. */
    static final String RECORDS = KEY + ":ready-records:1";

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    JobQueue<String> queue;

    /** The id of a job that is delayed after a retry. */
    JobId cameBack;

    /** One of two leases of a claim. */
    Lease<String> leased;

    AuditedQueue() {
        this.queue = redis.queue();
    }

    /** Enqueues jobs and moves them to every state and place. */
    @BeforeEach
    void fill() {
        queue = redis.queue();
        cameBack = queue.enqueue(NewJob.of("came back").once("c")).id();
        queue.enqueue("dead");
        queue.claim(1, MINUTE).get(0).retry(Duration.ofSeconds(5), "no");
        queue.claim(1, MINUTE).get(0).deadLetter("no");
        queue.enqueueAll(List.of(NewJob.of("leased").once("h"), NewJob.of("too")));
        List<Lease<String>> leases = queue.claim(2, MINUTE);
        leased = leases.get(0);
        queue.enqueueAll(List.of(NewJob.of("run1"), NewJob.of("run2"), NewJob.of("run3")));
        JobId cancelled = queue.enqueue("cancelled").id();
        queue.enqueue(NewJob.of("ready").once("r"));
        queue.enqueue("ready too");
        queue.enqueue(NewJob.of("later").once("l").after(MINUTE));
        queue.cancel(cancelled);
        assertNoFindings();
    }

    void assertNoFindings() {
        AuditReport report = queue.audit();
        assertThat(report.findings()).isEmpty();
        assertThat(report.unchecked()).isZero();
    }

    /** Asserts that an audit has findings of these kinds, that a repair fixes them, and that the next audit finds nothing. */
    void assertRepaired(Kind... kinds) {
        assertThat(kinds(queue.audit())).containsExactlyInAnyOrder(kinds);
        AuditReport repair = queue.repair();
        assertThat(repair.findings()).allMatch(AuditFinding::repaired);
        assertThat(kinds(repair)).contains(kinds[0]);
        assertNoFindings();
    }

    static List<Kind> kinds(AuditReport report) {
        return report.findings().stream().map(AuditFinding::kind).toList();
    }

    /** Claims and acks all jobs, and asserts that jobs with exactly these payloads were handed out, each once. */
    void assertHandedOutOnce(String... payloads) {
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
        assertNoFindings();
    }

    void assertAllHandedOutOnce() {
        assertHandedOutOnce("came back", "leased", "too", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    /** Sends a command, whose parts are bytes or text, and returns the reply with bytes for strings. */
    Object raw(Object... parts) {
        return Objects.requireNonNull(redis.probe.commandBytes(Arrays.stream(parts)
                .map(part -> part instanceof byte[] bytes
                        ? bytes
                        : String.valueOf(part).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new)));
    }

    /** Returns an item of a reply that is a list. */
    static byte[] bytes(Object list, int index) {
        return (byte[]) Objects.requireNonNull(((List<?>) list).get(index));
    }

    /** Returns the token of the first claim. */
    byte[] token() {
        return bytes(raw("HKEYS", KEY + ":held"), 0);
    }

    /** Overwrites a number in the stored header, whose layout is described in common.lua; the first byte is at index 0. */
    void setHeaderNumber(int at, long value, int width) {
        byte[] header = (byte[]) raw("GET", KEY);
        System.arraycopy(new Packed().number(value, width).bytes(), 0, header, at, width);
        raw("SET", KEY, header);
    }
}
