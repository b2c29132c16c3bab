package io.headgate.redis.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.MemoryHolds;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is held in an instance, and what of it Redis is to be told. */
class HeldHereTest {

    private static final long ENGINE = 7;
    private static final long SOMEBODY = 8;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final InFlightPolicy POLICY =
            InFlightPolicy.named("exports").rule("global", 3).lease(LEASE).build();

    private final ManualClock time = ManualClock.atMicros(1_000_000);
    private final HeldHere here = new HeldHere(ENGINE, new MemoryHolds(time));

    private static PlacedHold hold(long engine, long number) {
        return new PlacedHold(new HoldId(engine, number), 1, List.of("place"), Optional.empty());
    }

    private boolean renewWithout(PlacedHold hold) {
        return here.renewWithout("exports", LEASE, HoldStore.NEVER, hold);
    }

    private long held() {
        return here.look(POLICY, List.of("place")).rule("global").held();
    }

    private List<PlacedHold> toTell(boolean sure) {
        return here.toTell().entrySet().stream()
                .filter(batch -> batch.getKey().sure() == sure)
                .flatMap(batch -> batch.getValue().stream())
                .toList();
    }

    @Test
    void what_is_taken_without_redis_is_owed_until_redis_has_it() {
        assertThat(here.take(POLICY, hold(ENGINE, 1), false).allowed()).isTrue();
        assertThat(toTell(true)).containsExactly(hold(ENGINE, 1));
        assertThat(here.told(List.of(hold(ENGINE, 1)), new boolean[] {true}, LEASE))
                .isEmpty();
        assertThat(here.owesNothing()).isTrue();
        assertThat(held()).isEqualTo(1);
    }

    @Test
    void what_was_given_back_while_redis_was_told_of_it_is_given_back_there() {
        here.take(POLICY, hold(ENGINE, 1), false);
        List<PlacedHold> told = toTell(true);
        assertThat(here.remove(hold(ENGINE, 1)).inDoubt()).isTrue();
        assertThat(here.told(told, new boolean[] {true}, LEASE)).containsExactly(hold(ENGINE, 1));
    }

    @Test
    void what_redis_never_heard_of_is_given_back_for_good() {
        here.take(POLICY, hold(ENGINE, 1), false);
        assertThat(here.remove(hold(ENGINE, 1)).inDoubt()).isFalse();
        here.take(POLICY, hold(ENGINE, 2), true);
        assertThat(here.remove(hold(ENGINE, 2)).inDoubt()).isTrue();
        assertThat(here.remove(hold(ENGINE, 3)).inDoubt()).isTrue();
        assertThat(held()).isZero();
    }

    @Test
    void one_of_its_own_that_was_given_back_is_not_renewed_and_one_of_others_is_believed() {
        assertThat(renewWithout(hold(ENGINE, 1))).isFalse();
        assertThat(held()).isZero();
        assertThat(renewWithout(hold(SOMEBODY, 1))).isTrue();
        assertThat(held()).isEqualTo(1);
        assertThat(toTell(true)).isEmpty();
        assertThat(toTell(false)).containsExactly(hold(SOMEBODY, 1));
        here.told(List.of(hold(SOMEBODY, 1)), new boolean[] {false}, LEASE);
        assertThat(held()).isZero();
    }

    @Test
    void a_ticket_is_put_there_only_as_long_as_redis_never_heard_of_it() {
        here.take(POLICY, hold(SOMEBODY, 1), false);
        assertThat(toTell(true)).containsExactly(hold(SOMEBODY, 1));
        here.told(List.of(hold(SOMEBODY, 1)), new boolean[] {true}, LEASE);
        here.taken(POLICY, hold(SOMEBODY, 2));
        here.taken(POLICY, hold(ENGINE, 3));
        here.oweAll();
        assertThat(toTell(true)).containsExactly(hold(ENGINE, 3));
        assertThat(toTell(false)).containsExactlyInAnyOrder(hold(SOMEBODY, 1), hold(SOMEBODY, 2));
    }

    @Test
    void what_was_renewed_while_redis_was_told_is_told_again() {
        here.take(POLICY, hold(SOMEBODY, 1), false);
        time.advance(Duration.ofSeconds(25));
        List<PlacedHold> told = toTell(true);
        assertThat(renewWithout(hold(SOMEBODY, 1))).isTrue();
        here.told(told, new boolean[] {true}, Duration.ofSeconds(6));
        assertThat(toTell(false)).containsExactly(hold(SOMEBODY, 1));
        here.told(told, new boolean[] {true}, Duration.ofSeconds(31));
        assertThat(here.owesNothing()).isTrue();
    }

    @Test
    void where_something_foreign_is_it_counts_here_until_it_is_lost() {
        here.take(POLICY, hold(ENGINE, 1), true);
        here.told(toTell(true), new boolean[] {false}, LEASE);
        assertThat(here.owesNothing()).isTrue();
        assertThat(held()).isEqualTo(1);
    }

    @Test
    void nothing_lasts_beyond_its_end() {
        long ends = time.nowMicros() + 10_000_000;
        assertThat(here.renewWithout("exports", LEASE, ends, hold(SOMEBODY, 1))).isTrue();
        time.advance(Duration.ofSeconds(10));
        assertThat(here.renewWithout("exports", LEASE, ends, hold(SOMEBODY, 1))).isFalse();
        assertThat(held()).isZero();
    }

    @Test
    void what_expires_unheard_leaves_nothing_behind() {
        InFlightPolicy many = InFlightPolicy.named("exports")
                .rule("global", 100_000)
                .lease(LEASE)
                .build();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 2000; i++) {
                here.take(many, hold(SOMEBODY, round * 2000L + i), false);
            }
            time.advance(LEASE);
        }
        assertThat(here.size()).isLessThan(5000);
        assertThat(here.toTell()).isEmpty();
        assertThat(here.owesNothing()).isTrue();
    }
}
