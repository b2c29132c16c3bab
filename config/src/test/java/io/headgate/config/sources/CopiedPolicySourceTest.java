package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.limits.InMemoryLimitEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy of a file, which stands for a source that may be unreachable: then it is missing. */
class CopiedPolicySourceTest {

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path file;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path copy;

    @BeforeEach
    void name() {
        file = folder.resolve("limits.yaml");
        copy = folder.resolve("copy.yaml");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void write(long permits) throws IOException {
        write("policies: { api: { rules: { \"per-user\": { by: user, sliding-window: { permits: " + permits
                + ", window: 1h } } } } } # é\t\"quoted\"\n");
    }

    private void write(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private PolicyReloader start() {
        return PolicyReloader.start(engine, CopiedPolicySource.of(FilePolicySource.of(file), copy));
    }

    private static long permits(PolicyReloader policies) {
        return policies.registry().limiter("api").tryAcquire("alice").remaining() + 1;
    }

    @Test
    void a_process_starts_with_the_copy_while_the_source_fails_and_reports_it_until_the_source_is_back()
            throws Exception {
        write(5);
        String version;
        try (PolicyReloader policies = start()) {
            version = policies.status().version();
        }
        Files.delete(file);
        try (PolicyReloader policies = start()) {
            assertThat(permits(policies)).isEqualTo(5);
            assertThat(policies.status().version()).isEqualTo(version);
            assertThat(policies.reload().rejected().orElseThrow().reason()).contains("no such file");
            write(7);
            assertThat(policies.reload().rejected()).isEmpty();
            assertThat(permits(policies)).as("one of 5 permits was used").isEqualTo(6);
        }
        Files.delete(file);
        try (PolicyReloader policies = start()) {
            assertThat(policies.registry().policies().get("api").rules().get(0).toString())
                    .contains("7");
        }
    }

    @Test
    void a_copy_has_the_version_its_time_and_all_texts() throws Exception {
        PolicyDocument document = new PolicyDocument(
                "123456789012",
                Optional.of(Instant.parse("2026-11-27T10:02:11.402113Z")),
                List.of(text("a.yaml", "one: 1\n"), text("b c.yaml", "# é 😀\n\n- \"x\"\r\n")));
        CopiedPolicySource source = CopiedPolicySource.of(new OneDocument(Optional.of(document)), copy);
        source.read();
        source.report(PolicyStatus.first("test", document.version()));
        assertThat(CopiedPolicySource.of(new OneDocument(Optional.empty()), copy)
                        .read())
                .isEqualTo(document);
    }

    private static PolicyDocument.Text text(String name, String yaml) {
        return new PolicyDocument.Text(name, yaml);
    }

    /** Has a document, or fails. */
    private record OneDocument(Optional<PolicyDocument> document) implements PolicySource {

        @Override
        public String name() {
            return "test";
        }

        @Override
        public PolicyDocument read() {
            return document.orElseThrow(() -> new ConfigException(List.of("down")));
        }

        @Override
        public void watch(Runnable changed) {}

        @Override
        public void close() {}
    }

    @Test
    void a_file_with_variables_or_includes_has_no_copy() throws Exception {
        for (String text : List.of(
                "policies: { api: { rules: { limit: { sliding-window: { permits: '${N:-5}', window: 1h } } } } }",
                "include: [other.yaml]")) {
            Files.writeString(
                    folder.resolve("other.yaml"),
                    "policies: { api: { rules: { limit: { sliding-window: { permits: 5, window: 1h } } } } }");
            write(text);
            assertThatThrownBy(this::start)
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(file + ": has variables or includes, which the copy " + copy
                            + " cannot have; use the file without a copy");
            assertThat(copy).doesNotExist();
        }
    }

    @Test
    void a_rejected_version_is_not_copied() throws Exception {
        write(5);
        try (PolicyReloader policies = start()) {
            String valid = Files.readString(copy);
            write("policies: { api: 1 }");
            assertThat(policies.reload().rejected()).isPresent();
            assertThat(copy).hasContent(valid);
        }
    }

    @Test
    void without_a_copy_or_with_a_damaged_one_a_process_does_not_start() throws Exception {
        assertThatThrownBy(this::start).isInstanceOf(ConfigException.class).hasMessageContaining("no such file");
        for (String damaged :
                List.of("", "policies: {}", "version: 1\ntexts: {}", "version: a\ntexts: { a: 1 }", "\"")) {
            Files.writeString(copy, damaged);
            assertThatThrownBy(this::start)
                    .as(damaged)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith(copy + ": cannot be read: ")
                    .hasMessageEndingWith("; delete it, and start with the source");
        }
    }

    @Test
    void a_copy_that_cannot_be_written_changes_nothing_else() throws Exception {
        write(5);
        copy = folder.resolve("missing").resolve("copy.yaml");
        try (PolicyReloader policies = start()) {
            assertThat(permits(policies)).isEqualTo(5);
        }
    }
}
