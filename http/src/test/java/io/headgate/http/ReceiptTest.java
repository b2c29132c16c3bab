package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.testkit.Decisions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptTest {

    private static final String RECEIPT = Receipt.of(ApiDecisions.allowed()).orElseThrow();
    private static final int HEAD_BYTES = 25;
    private static final int RULE_BYTES = 12;

    @Test
    void a_receipt_contains_the_time_the_permits_and_the_reset_of_each_rule() {
        Decision read = Receipt.read(RECEIPT, ApiDecisions.API).orElseThrow();
        assertThat(read.decidedAt()).isEqualTo(ApiDecisions.allowed().decidedAt());
        assertThat(read.charged()).isEqualTo(1);
        assertThat(read.rules())
                .extracting(RuleDecision::rule)
                .containsExactly(ApiDecisions.GLOBAL, ApiDecisions.PER_USER);
        assertThat(read.rules())
                .extracting(RuleDecision::resetAfter)
                .containsExactly(Duration.ofMillis(1), Duration.ofNanos(59_000_001_000L));
        assertThat(RECEIPT).hasSizeLessThan(70).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void a_receipt_contains_the_time_of_each_rule_if_rules_were_decided_by_separate_calls() {
        Decision apart = EngineDecisions.of(
                ApiDecisions.API,
                new long[] {2_000_000_000_000_007L, 2_000_000_000_000_000L},
                1,
                EngineRuleDecision.allowed(ApiDecisions.GLOBAL, 1, 1000),
                EngineRuleDecision.allowed(ApiDecisions.PER_USER, 1, 2000));
        Decision read =
                Receipt.read(Receipt.of(apart).orElseThrow(), ApiDecisions.API).orElseThrow();
        assertThat(read.decidedAt("global")).isEqualTo(apart.decidedAt("global"));
        assertThat(read.decidedAt("per-user")).isEqualTo(apart.decidedAt("per-user"));
    }

    @Test
    void an_uncharged_decision_has_no_receipt() {
        assertThat(Receipt.of(ApiDecisions.denied())).isEmpty();
        assertThat(Receipt.of(ApiDecisions.notRetryable())).isEmpty();
        assertThat(Receipt.of(Decisions.open(ApiDecisions.API))).isEmpty();
    }

    @Test
    void after_a_change_of_the_policy_a_receipt_covers_the_remaining_rules_and_no_other_policy_accepts_it() {
        Policy less = Policy.named("api")
                .rule("new", Limit.fixedWindow(1, Duration.ofSeconds(1)))
                .rule("per-user", Limit.slidingWindow(7, Duration.ofHours(1)))
                .rule("global", Limit.fixedWindow(2000, Duration.ofSeconds(1)))
                .build();
        assertThat(Receipt.read(RECEIPT, less).orElseThrow().rules())
                .extracting(rule -> rule.rule().name())
                .containsExactly("per-user");
        assertRejected(
                RECEIPT, Policy.named("other").rule(ApiDecisions.GLOBAL).build(), "the receipt is not of policy other");
    }

    @Test
    void a_receipt_without_any_remaining_rule_is_read_as_empty() {
        Policy others = Policy.named("api")
                .rule("per-user", Limit.fixedWindow(7, Duration.ofHours(1)))
                .build();
        assertThat(Receipt.read(RECEIPT, others)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // offset, number of bytes, value: version, time, permits, charge id, reset
        "0, 1, 0",
        "0, 1, 6",
        "1, 8, 0",
        "1, 8, -1",
        "1, 8, 9223372036854775807",
        "1, 8, 8444249301319681", // one more than 2^53 - 2^49, the latest time
        "9, 4, 0",
        "9, 4, -1",
        "9, 4, 1000000001",
        "17, 8, 0",
        "29, 8, -1",
        "29, 8, 562949953421312", // 2^49, above the longest reset
        "29, 8, 9223372036854775807"
    })
    void numbers_out_of_range_are_rejected(int offset, int bytes, long value) {
        ByteBuffer changed = ByteBuffer.wrap(Base64.getUrlDecoder().decode(RECEIPT));
        if (bytes == 8) {
            changed.putLong(offset, value);
        } else if (bytes == 4) {
            changed.putInt(offset, (int) value);
        } else {
            changed.put(offset, (byte) value);
        }
        assertRejected(encoded(changed.array()), ApiDecisions.API, "receipt must be the receipt from the response");
    }

    @ParameterizedTest
    @ValueSource(bytes = {1, 2, 3})
    void receipts_of_older_versions_are_rejected(byte version) {
        byte[] older = Base64.getUrlDecoder().decode(RECEIPT);
        older[0] = version;
        assertRejected(encoded(older), ApiDecisions.API, "an older version of Headgate wrote the receipt");
    }

    @Test
    void receipts_with_a_wrong_length_or_repeated_rules_are_rejected() {
        byte[] bytes = Base64.getUrlDecoder().decode(RECEIPT);
        for (int length = 0; length < 300; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            if (length != bytes.length && (length - HEAD_BYTES) % RULE_BYTES != 0) {
                assertRejected(encoded(cut), ApiDecisions.API, "receipt must be");
            }
        }
        byte[] doubled = Arrays.copyOf(bytes, bytes.length + RULE_BYTES);
        System.arraycopy(bytes, HEAD_BYTES, doubled, bytes.length, RULE_BYTES);
        assertRejected(encoded(doubled), ApiDecisions.API, "receipt must be");
        assertRejected(encoded(Arrays.copyOf(bytes, HEAD_BYTES)), ApiDecisions.API, "receipt must be");
        assertRejected("A".repeat(60_000), ApiDecisions.API, "receipt must be");
    }

    @Test
    void a_damaged_receipt_is_read_or_rejected_without_another_exception() {
        Random random = new Random(1);
        byte[] bytes = Base64.getUrlDecoder().decode(RECEIPT);
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = bytes.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                Receipt.read(encoded(changed), ApiDecisions.API)
                        .ifPresent(read -> assertThat(read.charged()).isPositive());
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("receipt");
            }
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static void assertRejected(String receipt, Policy policy, String message) {
        assertThatThrownBy(() -> Receipt.read(receipt, policy))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
