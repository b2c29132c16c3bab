package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cache of denials is bounded for any number of ids, and denials expire. A release is a refund, a reset or a changed limit, after which
 * a cached denial may be wrong.
 */
class RuleDenialsTest {

    private static final Rule RULE = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
    private static final long SECOND = 1_000_000;

    /** A cache of two generations, each with up to 1000 denials. */
    private final RuleDenials denials = new RuleDenials(1000);

    private final long startNanos = System.nanoTime();

    private void deny(String id, long permits, long atMicros) {
        RuleDecision denial = EngineRuleDecision.denied(RULE, 0, 30 * SECOND, 30 * SECOND);
        denials.put(denial, List.of(id), permits, atMicros, nanos(atMicros), atMicros);
    }

    private void release(String id, long atMicros) {
        denials.released(List.of(id), nanos(atMicros));
    }

    private long nanos(long micros) {
        return startNanos + micros * 1000;
    }

    private boolean isCached(String id, long permits, long atMicros) {
        return denials.find(RULE, id, permits, atMicros) != null;
    }

    @Test
    void ten_million_ids_take_no_more_than_two_generations() {
        for (int i = 0; i < 10_000_000; i++) {
            deny("user" + i, 1, i * 10L);
            assertThat(denials.size()).isLessThanOrEqualTo(2000);
        }
    }

    @Test
    void a_denial_holds_from_the_request_until_its_retry_time() {
        deny("a", 2, SECOND);
        assertThat(isCached("a", 2, SECOND - 1)).isFalse();
        assertThat(isCached("a", 2, SECOND)).isTrue();
        assertThat(isCached("a", 1, SECOND)).isFalse();
        assertThat(isCached("a", 3, 31 * SECOND - 1)).isTrue();
        assertThat(isCached("a", 2, 31 * SECOND)).isFalse();
        assertThat(isCached("b", 2, SECOND)).isFalse();
    }

    @Test
    void a_release_drops_denials_that_were_requested_before_it() {
        deny("a", 1, 10);
        deny("b", 1, 10);
        release("a", 20);
        assertThat(isCached("a", 1, 20)).isFalse();
        assertThat(isCached("b", 1, 20)).isTrue();
        // This reply was in flight during the release.
        deny("a", 1, 19);
        assertThat(isCached("a", 1, 20)).isFalse();
        // The order of the denial and the release is unknown.
        deny("a", 1, 20);
        assertThat(isCached("a", 1, 21)).isFalse();
        deny("a", 1, 21);
        assertThat(isCached("a", 1, 21)).isTrue();
    }

    @Test
    void a_flood_of_releases_stays_within_the_bound() {
        for (int i = 0; i < 100_000; i++) {
            release("user" + i, i);
        }
        // There was no room for the release of user99999, so no denial that was requested before it is cached for any
        // id.
        deny("user99999", 1, 99_998);
        assertThat(isCached("user99999", 1, 99_999)).isFalse();
        deny("user", 1, 99_998);
        assertThat(isCached("user", 1, 99_999)).isFalse();
        deny("user", 1, 100_000);
        assertThat(isCached("user", 1, 100_000)).isTrue();
    }

    @Test
    void a_denial_that_was_requested_before_a_release_is_not_cached_however_late_its_reply_is() {
        release("a", 20);
        for (int second = 1; second < 70; second++) {
            deny("b", 1, second * SECOND);
            release("c", second * SECOND);
            deny("a", 1, 19);
            assertThat(isCached("a", 1, 20)).isFalse();
        }
        deny("a", 1, 70 * SECOND);
        assertThat(isCached("a", 1, 70 * SECOND)).isTrue();
    }

    @Test
    void a_release_of_all_ids_also_rejects_denials_in_flight() {
        deny("a", 1, 10);
        denials.releasedAll(nanos(20));
        deny("b", 1, 19);
        assertThat(denials.size()).isZero();
        deny("b", 1, 21);
        assertThat(isCached("b", 1, 21)).isTrue();
    }

    @Test
    void one_request_a_second_goes_to_redis_despite_the_denial() {
        deny("a", 1, 0);
        Denial denial = Objects.requireNonNull(denials.find(RULE, "a", 1, SECOND));
        assertThat(denial.check().isDue(SECOND - 1)).isFalse();
        assertThat(denial.check().isDue(SECOND)).isTrue();
        assertThat(denial.check().isDue(SECOND)).isFalse();
        assertThat(denial.check().isDue(2 * SECOND)).isTrue();
    }

    @Test
    void during_a_release_no_denial_is_used_and_after_it_the_denial_is_dropped() {
        deny("a", 1, 0);
        deny("b", 1, 0);
        denials.beginRelease(List.of("a"));
        denials.beginRelease(List.of("a"));
        deny("a", 1, 0);
        assertThat(isCached("a", 1, 0)).isFalse();
        assertThat(isCached("b", 1, 0)).isTrue();
        denials.endRelease(List.of("a"), nanos(10));
        deny("a", 1, 11);
        assertThat(isCached("a", 1, 11)).isFalse();
        denials.endRelease(List.of("a"), nanos(20));
        assertThat(isCached("a", 1, 20)).isFalse();
        deny("a", 1, 21);
        assertThat(isCached("a", 1, 21)).isTrue();
    }

    /** The caller of a refund continues before the denial is dropped, which may happen during its next request. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_request_during_which_a_refund_ends_is_not_denied_by_an_older_denial(int lookup) {
        Rule rule = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user", "ip");
        List<String> ids = List.of("a", "10.0.0.1");
        RuleDecision denial = EngineRuleDecision.denied(rule, 0, 30 * SECOND, 30 * SECOND);
        denials.put(denial, ids, 1, 10, nanos(10), 10);
        denials.beginRelease(ids);

        List<String> requested = new LookedUp(ids, lookup, () -> denials.endRelease(ids, nanos(20)));

        assertThat(denials.find(rule, requested, 1, 20)).isNull();
    }

    @Test
    void a_denial_whose_reply_is_processed_after_that_of_a_later_refund_is_not_cached() {
        denials.beginRelease(List.of("a"));
        denials.endRelease(List.of("a"), nanos(20));
        deny("a", 1, 19);
        assertThat(isCached("a", 1, 20)).isFalse();
    }

    @Test
    void a_denial_that_is_not_cached_again_is_evicted_after_two_seconds() {
        deny("a", 1, SECOND);
        deny("b", 1, 2 * SECOND);
        assertThat(isCached("a", 1, 2 * SECOND)).isTrue();
        deny("c", 1, 3 * SECOND);
        assertThat(isCached("a", 1, 3 * SECOND)).isFalse();
        assertThat(isCached("b", 1, 3 * SECOND)).isTrue();
    }
}
