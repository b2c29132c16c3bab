package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is shown of the reports of processes, and which versions replace a damaged shadow version. */
class PreviewViewTest {

    private static final Instant TEN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Instant ELEVEN = Instant.parse("2026-11-29T11:00:00Z");
    private static final PolicyVersion CURRENT = new PolicyVersion("2-c49479cb295c", TEN, "ada", "start");
    private static final PolicyVersion NEXT = new PolicyVersion("1-8e1f0c5a92b7", TEN, "ada", "half");

    private final Store store = new Store();

    /** A store with a shadow version whose texts are damaged. */
    private static final class Store implements PolicyStore {

        private final List<PolicyInstance> reports = new ArrayList<>();
        private Optional<PolicyUpdate> written = Optional.empty();

        @Override
        public String name() {
            return "test";
        }

        @Override
        public PolicyDocument read() {
            return document(100);
        }

        @Override
        public Optional<PolicyDocument> shadow() {
            throw new ConfigException(List.of("the texts are damaged"));
        }

        @Override
        public void watch(Runnable changed) {
            // It does not change.
        }

        @Override
        public PolicyUpdate.Result apply(PolicyUpdate update) {
            written = Optional.of(update);
            return new PolicyUpdate.Result(true, Optional.of(NEXT));
        }

        @Override
        public Optional<PolicyDocument> find(String version) {
            return Optional.empty();
        }

        @Override
        public List<PolicyVersion> history(int max) {
            return List.of(CURRENT);
        }

        @Override
        public Optional<PolicyVersion> shadowVersion() {
            return Optional.of(NEXT);
        }

        @Override
        public boolean discardShadow(String version) {
            return false;
        }

        @Override
        public List<PolicyInstance> instances() {
            return List.of();
        }

        @Override
        public List<PolicyInstance> previews() {
            return List.copyOf(reports);
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static PolicyDocument document(long permits) {
        return new PolicyDocument(
                CURRENT.version(), List.of(new PolicyDocument.Text("api.yaml", """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits))));
    }

    private void add(String name, String comparedWith, Instant since, PolicyCounts... counts) {
        PolicyPreview preview =
                new PolicyPreview(NEXT.version(), comparedWith, since, Optional.empty(), List.of(counts));
        store.reports.add(new PolicyInstance(name, comparedWith, TEN, Optional.empty(), Optional.of(preview)));
    }

    private static PolicyCounts counts(String policy, boolean isSettled, long requests) {
        Outcomes denied = new Outcomes(0, requests / 2, requests / 2, 0);
        return new PolicyCounts(
                policy,
                isSettled,
                ELEVEN,
                requests,
                denied,
                0,
                0,
                0,
                policy.equals(PolicyPreview.OTHERS) ? List.of() : List.of(new RuleCounts("per-user", denied, 0)));
    }

    private List<String> lines() {
        return PreviewView.read(store).lines();
    }

    @Test
    void numbers_that_are_not_settled_are_marked() {
        add("web-1:1", CURRENT.version(), TEN, counts("api", false, 10), counts("login", true, 20));
        add("web-2:1", CURRENT.version(), ELEVEN, counts("api", false, 30), counts("login", true, 20));
        assertThat(lines())
                .contains(
                        "compared with version 2-c49479cb295c by 2 of 2 processes, since 2026-11-29T10:00:00.000000Z, the last of them "
                                + "since 2026-11-29T11:00:00.000000Z",
                        "not settled: api; the counts of the shadow version started from zero, so that it denies too few "
                                + "requests until 2026-11-29T11:00:00.000000Z. Then the numbers start from zero");
        assertThat(PreviewView.read(store).json()).containsEntry("completeFrom", "2026-11-29T11:00:00.000000Z");
    }

    @Test
    void settled_numbers_exclude_those_of_processes_that_started_later() {
        add("web-1:1", CURRENT.version(), TEN, counts("api", true, 10));
        add("web-2:1", CURRENT.version(), ELEVEN, counts("api", false, 30));
        assertThat(lines())
                .contains(
                        "without processes that started later, whose numbers are not settled until 2026-11-29T11:00:00.000000Z")
                .noneMatch(line -> line.startsWith("not settled"))
                .anyMatch(line -> line.matches("api +10 .*"));
    }

    @Test
    void processes_that_compare_with_another_version_are_not_added() {
        add("web-1:1", CURRENT.version(), TEN, counts("api", true, 10));
        add("web-2:1", "1-0123456789ab", TEN, counts("api", true, 30));
        assertThat(lines())
                .contains("not by web-2:1: compares it with version 1-0123456789ab")
                .anyMatch(line -> line.contains("by 1 of 2 processes"))
                .anyMatch(line -> line.matches("api +10 .*"));
    }

    @Test
    void the_problem_of_a_process_is_shown_even_if_it_cannot_read_the_version() {
        PolicyPreview failed = new PolicyPreview("", "2-c49479cb295c", TEN, Optional.of("a problem"), List.of());
        store.reports.add(new PolicyInstance("web-1:1", "2-c49479cb295c", TEN, Optional.empty(), Optional.of(failed)));
        store.reports.add(new PolicyInstance("web-2:1", "2-c49479cb295c", TEN, Optional.empty(), Optional.empty()));
        assertThat(lines()).contains("not by web-1:1: a problem", "not by web-2:1: does not evaluate it, or not yet");
    }

    @Test
    void a_note_explains_the_sum_of_other_policies() {
        add("web-1:1", CURRENT.version(), TEN, counts("api", true, 10), counts(PolicyPreview.OTHERS, true, 1));
        assertThat(lines())
                .anyMatch(line -> line.startsWith("(others): requests to policies that are not among the 500"));
    }

    @Test
    void a_damaged_shadow_version_is_replaceable() {
        PolicyEdit edit = PolicyEdit.inShadow(store, document(50));
        assertThat(edit.replaced(Optional.empty())).contains(NEXT.version());
        edit.write(store, edit.replaced(Optional.empty()), "ada", "again");
        assertThat(store.written.flatMap(PolicyUpdate::replaces)).contains(NEXT.version());
    }
}
