package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a plan rejects, and how its figures follow from its inputs. */
class CapacityPlanTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy BOTH = Policy.named("api")
            .rule("global", Limit.tokenBucket(10, 10, MINUTE))
            .rule("both", Limit.fixedWindow(10, MINUTE), Attributes.USER, Attributes.IP)
            .build();

    @Test
    void a_rule_has_a_key_for_each_combination_unless_their_number_is_given() {
        CapacityPlan.Builder plan =
                CapacityPlan.builder().policy(BOTH).ids(Attributes.USER, 100).ids(Attributes.IP, 20);
        assertThat(plan.build().peakKeys()).isEqualTo(1 + 100 * 20);
        assertThat(plan.ids(List.of(Attributes.USER, Attributes.IP), 150)
                        .build()
                        .peakKeys())
                .isEqualTo(1 + 150);
    }

    @Test
    void inactive_ids_have_no_key_on_average() {
        CapacityPlan plan = CapacityPlan.builder()
                .policy(Policy.of("api", Limit.fixedWindow(10, MINUTE), Attributes.USER))
                .ids(Attributes.USER, 10_000)
                .activeShare(0.1)
                .requestsPerSecond(1000)
                .build();
        assertThat(plan.peakKeys()).isEqualTo(10_000);
        assertThat(plan.averageKeys()).isCloseTo(1000, within(1.0));
    }

    @Test
    void at_high_rates_a_leased_policy_takes_four_calls_for_each_lease_of_an_id_and_instance() {
        // Leases of 1.2 seconds.
        Policy leased = Policy.named("api")
                .rule("each", Limit.slidingWindow(1_000_000, MINUTE), Attributes.USER)
                .leased()
                .build();
        CapacityPlan.Builder plan =
                CapacityPlan.builder().policy(leased).ids(Attributes.USER, 10).requestsPerSecond(10_000);
        assertThat(plan.build().roundTripsPerSecond()).isCloseTo(10 * 4 / 1.2, within(1e-6));
        assertThat(plan.instances(3).build().roundTripsPerSecond()).isCloseTo(3 * 10 * 4 / 1.2, within(1e-6));
        assertThat(plan.build().commandsPerSecond()).isLessThan(1000);
        assertThat(plan.requestIds(0.1, 36, MINUTE).build().roundTripsPerSecond())
                .isCloseTo(1000 + 3 * 10 * 4 / 1.2, within(1e-6));
        // With 800 ids, each instance has about five requests per id and lease.
        assertThat(plan.ids(Attributes.USER, 800).build().roundTripsPerSecond()).isEqualTo(10_000);
        assertThatThrownBy(() -> plan.instances(0)).hasMessageContaining("instances must be");
    }

    @Test
    void holds_are_renewed_every_third_of_a_lease_until_their_maximum_duration() {
        InFlightPolicy.Builder policy = InFlightPolicy.named("exports").rule("all", 100_000);
        // 3600 holds are renewed every ten seconds, 500 in a call.
        InFlightCapacity holds = holds(policy.build(), Duration.ofHours(1));
        assertThat(holds.admittedShare()).isEqualTo(1);
        assertThat(holds.heldPermits()).isCloseTo(3600, within(1.0));
        assertThat(holds.renewalsPerSecond()).isCloseTo(360, within(1.0));
        assertThat(holds.renewingCallsPerSecond()).isCloseTo(8 / 10.0, within(1e-6));
        assertThat(holds(policy.build(), Duration.ofMillis(100)).renewalsPerSecond())
                .isCloseTo(0, within(1e-6));
        holds = holds(policy.atMost(MINUTE).build(), Duration.ofHours(1));
        assertThat(holds.heldPermits()).isCloseTo(60, within(1.0));
        assertThat(holds.renewalsPerSecond()).isBetween(5.0, 6.0);
    }

    @Test
    void a_rule_without_permits_denies_all_and_takes_no_key() {
        InFlightPolicy policy = InFlightPolicy.of("exports", 0);
        CapacityPlan plan = CapacityPlan.builder().inFlight(policy, MINUTE).build();
        assertThat(plan.inFlight().get(0).admittedShare()).isZero();
        assertThat(plan.peakKeys()).isZero();
        assertThat(plan.averageBytes()).isZero();
        // EVALSHA, TIME, and three commands that read, for 1000 requests per second, the default of a plan.
        assertThat(plan.commandsPerSecond()).isEqualTo(5000);
        assertThatThrownBy(() -> CapacityPlan.builder().inFlight(policy, Duration.ZERO))
                .hasMessageContaining("how long a hold is held must be from");
    }

    private static InFlightCapacity holds(InFlightPolicy policy, Duration held) {
        return CapacityPlan.builder()
                .inFlight(policy, held)
                .requestsPerSecond(1)
                .build()
                .inFlight()
                .get(0);
    }

    @Test
    void request_ids_take_a_key_for_each_charged_request_with_an_id_within_the_horizon() {
        CapacityPlan.Builder plan = CapacityPlan.builder()
                .policy(Policy.of("api", Limit.fixedWindow(10, MINUTE), Attributes.USER))
                .ids(Attributes.USER, 100)
                .requestsPerSecond(1000);
        CapacityPlan without = plan.build();
        assertThat(without.requestIds()).isEmpty();
        // The hundred users are admitted 1000 times a minute in total. Half of all requests have an id, which is
        // looked up; the ids of admitted requests are also stored.
        CapacityPlan with = plan.requestIds(0.5, 36, Duration.ofMinutes(2)).build();
        assertThat(with.peakKeys()).isEqualTo(100 + 1000);
        assertThat(with.averageKeys() - without.averageKeys()).isCloseTo(1000, within(1.0));
        assertThat(with.commandsPerSecond() - without.commandsPerSecond()).isCloseTo(500 + 500 / 60.0, within(1.0));
        assertThat(with.roundTripsPerSecond()).isEqualTo(without.roundTripsPerSecond());
        assertThat(with.peakBytes()).isBetween(without.peakBytes() + 1000 * 100, without.peakBytes() + 1000 * 300);
    }

    @Test
    void request_ids_of_denied_requests_are_stored_too_when_attempts_count() {
        Policy counting = Policy.named("login")
                .rule(Rule.of("tries", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                        .countingAttempts())
                .build();
        CapacityPlan plan = CapacityPlan.builder()
                .policy(counting)
                .ids(Attributes.USER, 10)
                .requestsPerSecond(100)
                .requestIds(1, 36, MINUTE)
                .build();
        assertThat(plan.requestIds().get(0).keys()).isCloseTo(6000, within(1.0));
    }

    @Test
    void request_id_settings_out_of_range_are_rejected() {
        CapacityPlan.Builder plan = CapacityPlan.builder();
        assertThatThrownBy(() -> plan.requestIds(0, 36, MINUTE))
                .hasMessage("share of requests with an id must be more than 0 and at most 1, was 0.0");
        assertThatThrownBy(() -> plan.requestIds(1, 129, MINUTE))
                .hasMessage("length of request ids must be from 1 to 128, was 129");
        assertThatThrownBy(() -> plan.requestIds(1, 36, Duration.ofDays(2))).hasMessageContaining("was PT48H");
    }

    @Test
    void a_rule_that_admits_nothing_has_no_keys_on_average() {
        Policy none = Policy.named("none")
                .rule("bucket", Limit.tokenBucket(0, 1, MINUTE), Attributes.USER)
                .rule("window", Limit.slidingWindow(0, MINUTE), Attributes.USER)
                .build();
        CapacityPlan plan =
                CapacityPlan.builder().policy(none).ids(Attributes.USER, 100).build();
        assertThat(plan.averageKeys()).isZero();
        assertThat(plan.commandsPerSecond()).isCloseTo(4000, within(1.0));
    }

    @Test
    void an_id_that_is_too_long_for_a_key_has_the_length_of_its_hash() {
        assertThat(bytesIn(129)).isEqualTo(bytesIn(33)).isLessThan(bytesIn(128));
    }

    private static double bytesIn(int idLength) {
        return CapacityPlan.builder()
                .policy(Policy.of("api", Limit.fixedWindow(10, MINUTE), Attributes.USER))
                .ids(Attributes.USER, 100)
                .idLength(idLength)
                .build()
                .bytesInPerSecond();
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1, 16",
        "16, 16, 16",
        "16, 17, 32",
        "16, 128, 128",
        "16, 129, 160",
        "16, 161, 192",
        "16, 1025, 1280",
        "16, 40961, 49152",
        "8, 17, 24",
        "8, 57, 64",
        "8, 65, 80",
        "8, 128, 128",
        "8, 129, 160"
    })
    void allocations_are_rounded_up_as_jemalloc_does(int quantum, long bytes, long rounded) {
        assertThat(new RedisAllocation(quantum).rounded(bytes)).isEqualTo(rounded);
    }

    @Test
    void by_default_memory_is_planned_for_the_larger_allocation_quantum() {
        CapacityPlan.Builder plan =
                CapacityPlan.builder().policy(BOTH).ids(Attributes.USER, 100).ids(Attributes.IP, 20);
        CapacityPlan larger = plan.build();
        assertThat(larger.quantumBytes()).isEqualTo(16);
        assertThat(plan.mallocStats("Stats not supported for the current allocator")
                        .build())
                .isEqualTo(larger);
        assertThat(plan.mallocStats("___ Begin jemalloc statistics ___\nQuantum size: 16\n")
                        .build())
                .isEqualTo(larger);
        CapacityPlan smaller = plan.mallocStats("___ Begin jemalloc statistics ___\nQuantum size: 8\n")
                .build();
        assertThat(smaller.quantumBytes()).isEqualTo(8);
        assertThat(smaller.peakBytes()).isLessThan(larger.peakBytes());
    }

    @Test
    void an_invalid_value_is_rejected_with_the_allowed_range() {
        CapacityPlan.Builder plan = CapacityPlan.builder();
        assertThatThrownBy(plan::build).hasMessageStartingWith("number of policies must be from 1 to ");
        assertThatThrownBy(() -> plan.policy(BOTH).build())
                .hasMessage("rule both counts by user, whose number of ids is not given");
        assertThatThrownBy(() -> plan.requestsPerSecond(0)).hasMessageContaining("more than 0 and at most 1000000000");
        assertThatThrownBy(() -> plan.requestsPerSecond(Double.NaN)).hasMessageContaining("were NaN");
        assertThatThrownBy(() -> plan.activeShare(1.1))
                .hasMessage("active share must be more than 0 and at most 1, was 1.1");
        assertThatThrownBy(() -> plan.ids("user", 0)).hasMessage("ids of user must be from 1 to 100000000000, was 0");
        assertThatThrownBy(() -> plan.keyPrefix("a b")).hasMessageContaining("key prefix must be");
        plan.ids("user", 1_000_000_000).ids("ip", 1_000_000_000);
        assertThatThrownBy(plan::build).hasMessageContaining("give the number of combinations of user,ip");
    }
}
