package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.limits.Attributes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Permits that were admitted without Redis, until they are charged there. {@code take(n, time)} returns up to n keys to which nothing was
 * added after that time.
 */
class UnsyncedUsageTest {

    private static final Attributes ALICE = Attributes.of("user", "alice");

    private static final long EACH = UnsyncedUsage.bytes("a000", ALICE);

    private final UnsyncedUsage.ByteBudget budget = new UnsyncedUsage.ByteBudget(100 * EACH);
    private final UnsyncedUsage usage = new UnsyncedUsage(budget);

    @Test
    void permits_add_up_by_key_and_are_taken_when_none_was_added_for_a_while() {
        usage.add("a", ALICE, 2, 10);
        usage.add("a", ALICE, 3, 20);
        usage.add("b", ALICE, 1, 5);
        assertThat(usage.take(10, 10))
                .extracting(Map.Entry::getKey, one -> one.getValue().permits())
                .containsExactly(tuple("b", 1L));
        List<Map.Entry<String, UnsyncedUsage.Spent>> taken = usage.take(10, 20);
        assertThat(taken).hasSize(1);
        assertThat(taken.get(0).getValue()).isEqualTo(new UnsyncedUsage.Spent(ALICE, 5, 20));
        assertThat(usage.isEmpty()).isTrue();
    }

    @Test
    void permits_that_redis_charged_after_all_are_removed() {
        usage.add("a", ALICE, 5, 10);
        usage.remove("a", 2);
        usage.remove("other", 2);
        assertThat(usage.take(10, 10).get(0).getValue().permits()).isEqualTo(3);
        usage.add("a", ALICE, 5, 10);
        usage.remove("a", 6);
        assertThat(usage.isEmpty()).isTrue();
    }

    @Test
    void keys_are_bounded_and_taken_in_batches() {
        for (int i = 0; i < 1000; i++) {
            usage.add(String.format("a%03d", i), ALICE, 1, 10);
        }
        assertThat(usage.size()).isEqualTo(100);
        assertThat(usage.take(30, 10)).hasSize(30);
        assertThat(usage.size()).isEqualTo(70);
    }

    @Test
    void all_rules_of_an_engine_share_the_budget_and_charged_entries_make_room() {
        UnsyncedUsage another = new UnsyncedUsage(budget);
        for (int i = 0; i < 60; i++) {
            usage.add(String.format("a%03d", i), ALICE, 2, 10);
            another.add(String.format("b%03d", i), ALICE, 2, 10);
        }
        assertThat(usage.size() + another.size()).isEqualTo(100);
        usage.add("a000", ALICE, 1, 10); // An existing entry needs no more room.
        usage.remove("a000", 1);
        usage.remove("a001", 2);
        another.add("b059", ALICE, 1, 10);
        assertThat(another.size()).isEqualTo(51);
        usage.take(1000, 10);
        another.take(1000, 10);
        assertThat(budget.remaining()).isEqualTo(100 * EACH);
    }
}
