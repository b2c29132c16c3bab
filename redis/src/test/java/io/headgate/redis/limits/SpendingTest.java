package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.limits.Attributes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What was admitted without Redis, until it is charged there. */
class SpendingTest {

    private static final Attributes ALICE = Attributes.of("user", "alice");

    private static final long EACH = Spending.bytes("a000", ALICE);

    private final ByteBudget budget = new ByteBudget(100 * EACH);
    private final Spending spending = new Spending(budget);

    @Test
    void it_adds_up_by_key_and_is_taken_once_nothing_was_added_for_a_while() {
        spending.add("a", ALICE, 2, 10);
        spending.add("a", ALICE, 3, 20);
        spending.add("b", ALICE, 1, 5);
        assertThat(spending.take(10, 10))
                .extracting(Map.Entry::getKey, one -> one.getValue().permits())
                .containsExactly(tuple("b", 1L));
        List<Map.Entry<String, Spending.Spent>> taken = spending.take(10, 20);
        assertThat(taken).hasSize(1);
        assertThat(taken.get(0).getValue()).isEqualTo(new Spending.Spent(ALICE, 5, 20));
        assertThat(spending.isEmpty()).isTrue();
    }

    @Test
    void what_was_charged_after_all_is_not_owed() {
        spending.add("a", ALICE, 5, 10);
        spending.charged("a", 2);
        spending.charged("other", 2);
        assertThat(spending.take(10, 10).get(0).getValue().permits()).isEqualTo(3);
        spending.add("a", ALICE, 5, 10);
        spending.charged("a", 6);
        assertThat(spending.isEmpty()).isTrue();
    }

    @Test
    void no_flood_takes_more_than_the_bound_and_some_are_taken_at_a_time() {
        for (int i = 0; i < 1000; i++) {
            spending.add(String.format("a%03d", i), ALICE, 1, 10);
        }
        assertThat(spending.size()).isEqualTo(100);
        assertThat(spending.take(30, 10)).hasSize(30);
        assertThat(spending.size()).isEqualTo(70);
    }

    @Test
    void all_rules_of_an_engine_share_the_bound_and_what_is_charged_makes_room() {
        Spending another = new Spending(budget);
        for (int i = 0; i < 60; i++) {
            spending.add(String.format("a%03d", i), ALICE, 2, 10);
            another.add(String.format("b%03d", i), ALICE, 2, 10);
        }
        assertThat(spending.size() + another.size()).isEqualTo(100);
        spending.add("a000", ALICE, 1, 10); // One that is there is added to.
        spending.charged("a000", 1);
        spending.charged("a001", 2);
        another.add("b059", ALICE, 1, 10);
        assertThat(another.size()).isEqualTo(51);
        spending.take(1000, 10);
        another.take(1000, 10);
        assertThat(budget.left()).isEqualTo(100 * EACH);
    }
}
