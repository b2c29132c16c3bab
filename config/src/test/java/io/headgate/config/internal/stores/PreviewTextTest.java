package io.headgate.config.internal.stores;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The stored form of previews, which other processes read. */
class PreviewTextTest {

    private static final Instant SINCE = Instant.parse("2026-11-27T10:02:11.402Z");

    private static PolicyPreview preview(List<PolicyCounts> policies) {
        return new PolicyPreview("1-8e1f0c5a92b7", "2-c49479cb295c", SINCE, Optional.empty(), policies);
    }

    private static PolicyCounts counts(String policy, long requests, RuleCounts... rules) {
        return new PolicyCounts(
                policy, true, SINCE.plusSeconds(60), requests, new Outcomes(2, 3, 4, 5), 6, 7, 8, List.of(rules));
    }

    @Test
    void a_preview_is_stored_as_lines() {
        PolicyPreview preview = preview(List.of(
                counts("api", 1, new RuleCounts("per-user", new Outcomes(9, 10, 11, 12), 13)), counts("login", 14)));
        String text = PreviewText.encode(preview);
        assertThat(text).isEqualTo("""
                        1-8e1f0c5a92b7
                        2-c49479cb295c
                        1795773731402

                        P api settled 1795773791402 1 2 3 4 5 6 7 8
                        R per-user 9 10 11 12 13
                        P login settled 1795773791402 14 2 3 4 5 6 7 8""");
        assertThat(PreviewText.decode(text)).contains(preview);
    }

    @Test
    void a_problem_is_stored_in_one_line() {
        PolicyPreview failed = new PolicyPreview("x", "y", SINCE, Optional.of("a problem\nP api 1"), List.of());
        assertThat(PreviewText.decode(PreviewText.encode(failed)).orElseThrow())
                .isEqualTo(new PolicyPreview("x", "y", SINCE, Optional.of("a problem"), List.of()));
    }

    @Test
    void lines_of_later_versions_are_skipped_and_other_texts_are_none() {
        String text = PreviewText.encode(preview(List.of(counts("api", 1)))) + "\nX 1 2\n";
        assertThat(PreviewText.decode(text)).contains(preview(List.of(counts("api", 1))));
        assertThat(PreviewText.decode("")).isEmpty();
        assertThat(PreviewText.decode("a\nb\nc\nd")).isEmpty();
        assertThat(PreviewText.decode("a\nb\n1\n\nP api")).isEmpty();
        assertThat(PreviewText.decode("a\nb\n1\n\nP api settled 1 x 2 3 4 5 6 7 8"))
                .isEmpty();
    }

    @Test
    void the_policies_with_the_fewest_requests_are_stored_as_one_and_a_preview_is_at_most_500_kB() {
        RuleCounts[] rules = IntStream.range(0, 16)
                .mapToObj(i -> new RuleCounts(
                        "r".repeat(62) + (10 + i),
                        new Outcomes(Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, 1_000_000_000, 1),
                        1_000_000_000))
                .toArray(RuleCounts[]::new);
        PolicyPreview all = preview(IntStream.range(0, 600)
                .mapToObj(i -> counts("p".repeat(60) + i, i, rules))
                .toList());
        String text = PreviewText.encode(all);
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThan(PreviewText.MAX_BYTES);
        List<PolicyCounts> stored = PreviewText.decode(text).orElseThrow().policies();
        assertThat(stored).hasSize(501);
        assertThat(stored.get(0).requests()).isEqualTo(599);
        // Either all rules of a policy, or none.
        assertThat(stored.subList(0, 125)).allMatch(policy -> policy.rules().size() == 16);
        assertThat(stored.subList(125, 501)).allMatch(policy -> policy.rules().isEmpty());
        assertThat(stored.get(500))
                .isEqualTo(new PolicyCounts(
                        "(others)",
                        true,
                        SINCE.plusSeconds(60),
                        99 * 100 / 2,
                        new Outcomes(200, 300, 400, 500),
                        600,
                        700,
                        800,
                        List.of()));
        assertThat(PolicyPreview.total(List.of(all, all)).stream()
                        .filter(policy -> policy.policy().endsWith("p599"))
                        .findFirst()
                        .orElseThrow()
                        .requests())
                .isEqualTo(2 * 599);
    }
}
