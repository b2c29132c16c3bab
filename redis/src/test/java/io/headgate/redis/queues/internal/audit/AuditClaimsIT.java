package io.headgate.redis.queues.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An audit finds incomplete claims, and a repair returns their remaining jobs to the queue. */
class AuditClaimsIT extends AuditedQueue {

    @Test
    void a_claim_whose_records_are_lost_is_repaired() {
        redis.probe.command("DEL", KEY + ":records");
        assertRepaired(Kind.CLAIM, Kind.KEY);
        assertHandedOutOnce("came back", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    @Test
    void a_claim_whose_leased_jobs_are_unknown_is_repaired() {
        redis.probe.command("DEL", KEY + ":held");
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_would_never_expire_is_repaired() {
        redis.probe.command("DEL", KEY + ":leases");
        assertRepaired(Kind.CLAIM);
        redis.clock.advance(MINUTE);
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_would_expire_too_late_is_repaired() {
        raw("ZADD", KEY + ":leases", "9000000000000000", token());
        assertRepaired(Kind.CLAIM);
        redis.clock.advance(MINUTE);
        assertAllHandedOutOnce();
    }

    @Test
    void a_lease_without_a_claim_is_repaired() {
        raw("ZADD", KEY + ":leases", 5, "token");
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNoFindings();
        assertAllHandedOutOnce();
    }

    @Test
    void a_claim_that_counts_too_many_leased_jobs_is_repaired() {
        leased.ack();
        byte[] held = (byte[]) raw("HGET", KEY + ":held", token());
        // The number of leased jobs, of which only one is left.
        held[3] = 2;
        raw("HSET", KEY + ":held", token(), held);
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNoFindings();
        assertHandedOutOnce("came back", "too", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    @Test
    void an_unreadable_claim_is_set_aside() {
        raw("HSET", KEY + ":records", token(), "nonsense");
        assertThat(kinds(queue.audit())).contains(Kind.UNREADABLE);
        queue.repair();
        assertThat(redis.probe.command("LRANGE", KEY + ":aside", "0", "-1")).isEqualTo(List.of("nonsense"));
        assertNoFindings();
        assertHandedOutOnce("came back", "run1", "run2", "run3", "ready", "ready too", "later");
    }

    /**
     * Makes a claim whose records are so large that they are stored in parts (the head of a run, the records of that run, the next head,
     * and so on), and returns the token of the claim.
     */
    private byte[] makeClaimInParts() {
        queue.claim(500, MINUTE).forEach(Lease::ack);
        Set<String> before = tokens();
        for (int i = 0; i < 4; i++) {
            queue.enqueueAll(List.of(NewJob.of("a" + i + "-".repeat(1000)), NewJob.of("b" + i)));
        }
        List<Lease<String>> leases = queue.claim(8, MINUTE);
        leases.get(0).ack();
        leases.get(7).ack();
        assertNoFindings();
        Set<String> after = tokens();
        after.removeAll(before);
        return HexFormat.of().parseHex(after.iterator().next());
    }

    private Set<String> tokens() {
        Set<String> tokens = new HashSet<>();
        for (Object token : (List<?>) raw("HKEYS", KEY + ":held")) {
            tokens.add(HexFormat.of().formatHex((byte[]) Objects.requireNonNull(token)));
        }
        return tokens;
    }

    /** Returns the field of a part in the hash of records; the field of part 1 is the token. */
    private static byte[] part(byte[] token, int part) {
        return part == 1 ? token : new Packed().all(token).number(part, 1).bytes();
    }

    /** Advances the clock by an hour, claims all due jobs, and returns the first two characters of each payload. */
    private List<String> claimLater() {
        redis.clock.advance(Duration.ofHours(1));
        return queue.claim(500, MINUTE).stream()
                .map(lease -> lease.job().payload().substring(0, 2))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"1, a1 b1 a2 b2 a3", "3, b0 a2 b2 a3", "4, b0 a2 b2 a3", "8, b0 a1 b1 a2 b2"})
    void a_claim_with_a_lost_part_keeps_the_jobs_of_its_other_parts(int which, String kept) {
        byte[] token = makeClaimInParts();
        raw("HDEL", KEY + ":records", part(token, which));
        assertThat(kinds(queue.audit())).contains(Kind.CLAIM);
        queue.repair();
        assertNoFindings();
        // Four jobs were never in this claim: came back, leased, too and later.
        assertThat(claimLater())
                .contains(kept.split(" "))
                .doesNotContain("a0", "b3")
                .hasSize(4 + kept.split(" ").length);
    }

    @Test
    void a_claim_with_an_unreadable_part_keeps_the_jobs_of_its_other_parts() {
        byte[] token = makeClaimInParts();
        raw("HSET", KEY + ":records", part(token, 4), "nonsense");
        assertThat(kinds(queue.audit())).contains(Kind.UNREADABLE);
        queue.repair();
        assertNoFindings();
        assertThat(claimLater()).contains("b0", "a2", "b2", "a3").doesNotContain("a0", "a1", "b1", "b3");
    }

    @Test
    void the_jobs_of_parts_without_a_claim_are_handed_out_again() {
        byte[] token = makeClaimInParts();
        raw("HDEL", KEY + ":held", token);
        raw("HDEL", KEY + ":records", token);
        assertThat(kinds(queue.audit()).stream().filter(Kind.CLAIM::equals)).hasSize(1);
        queue.repair();
        assertNoFindings();
        assertThat(claimLater()).contains("a1", "b1", "a2", "b2", "a3", "b3");
        assertThat(redis.probe.command("LLEN", KEY + ":aside")).isEqualTo(1L);
    }

    @Test
    void surplus_parts_of_claims_are_set_aside() {
        byte[] token = makeClaimInParts();
        raw("HSET", KEY + ":records", part(token, 9), "more");
        raw("HSET", KEY + ":records", part(token(), 2), "even more");
        assertRepaired(Kind.CLAIM, Kind.CLAIM);
        assertThat((List<?>) redis.probe.command("LRANGE", KEY + ":aside", "0", "-1"))
                .hasSize(2);
    }
}
