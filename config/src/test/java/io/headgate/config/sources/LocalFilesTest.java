package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.limits.InMemoryLimitEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Local files with variables, and files that include others. */
class LocalFilesTest {

    private static final String SECRET = "hunter2secret";

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private final PolicyListener listener = new PolicyListener() {
        @Override
        public void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {
            events.add(changes.toString());
        }

        @Override
        public void rejected(Rejection rejection) {
            events.add(rejection.reason());
        }
    };

    private static String policy(String name, Object permits) {
        return "policies: { " + name + ": { rules: { limit: { by: user, sliding-window: { permits: '" + permits
                + "', window: 1h } } } } }\n";
    }

    private Path write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Path next = Files.writeString(path.resolveSibling("next.tmp"), text);
        return Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static PolicyDocument read(Path file, Map<String, String> variables) {
        try (FilePolicySource source = FilePolicySource.of(file, variables)) {
            return source.read();
        }
    }

    private String refusal(Path file) {
        ConfigException thrown = catchThrowableOfType(
                ConfigException.class, () -> read(file, Map.of()).policies());
        assertThat(thrown).as("the refusal of " + file).isNotNull();
        return String.valueOf(thrown.getMessage()).replace(folder + "/", "");
    }

    private String nextEvent() throws InterruptedException {
        String event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).as("an event of the reloader").isNotNull();
        return String.valueOf(event);
    }

    private static long permits(Policies policies, String name) {
        return policies.get(name).rules().get(0).limit().permits();
    }

    @Test
    void a_document_keeps_the_text_before_variables_are_replaced_and_never_shows_values() throws IOException {
        Path file = write("p.yaml", policy("api", "${PERMITS}") + "# ${COMMENT}");
        PolicyDocument document = read(file, Map.of("PERMITS", "41", "OTHER", SECRET, "COMMENT", "1"));
        assertThat(permits(document.policies(), "api")).isEqualTo(41);
        assertThat(document.texts().get(0).yaml()).contains("permits: '${PERMITS}'");
        assertThat(document.variables()).contains(Map.of("PERMITS", "41"));
        assertThat(document.toString()).contains("${PERMITS}").doesNotContain("41,", "=41", SECRET);
    }

    @Test
    void the_version_tells_other_values_apart_without_showing_them() throws IOException {
        Path file = write("p.yaml", policy("api", "${PERMITS:-1}"));
        String one = read(file, Map.of("PERMITS", "1")).version();
        assertThat(one).matches("[0-9a-f]{12}\\+[0-9a-f]{6}");
        assertThat(read(file, Map.of("PERMITS", "1", "OTHER", "x")).version()).isEqualTo(one);
        for (Map<String, String> other :
                List.of(Map.of("PERMITS", "2"), Map.of("PERMITS", ""), Map.<String, String>of())) {
            String version = read(file, other).version();
            assertThat(version).startsWith(one.substring(0, 13)).isNotEqualTo(one);
        }
        assertThat(read(write("q.yaml", policy("api", 1)), Map.of()).version()).matches("[0-9a-f]{12}");
    }

    @Test
    void a_rejected_value_is_reported_without_it() throws Exception {
        Path file = write("p.yaml", policy("api", 1));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                FilePolicySource source = FilePolicySource.of(file, Map.of("SECRET", SECRET));
                PolicyReloader policies =
                        PolicyReloader.start(engine, source, source.read(), Policies.of(List.of()), listener)) {
            write("p.yaml", policy("api", "${SECRET}"));
            assertThat(nextEvent()).contains("was the value of \"${SECRET}\"").doesNotContain(SECRET);
            assertThat(policies.status().toString()).doesNotContain(SECRET);
        }
    }

    @Test
    void included_files_are_relative_to_the_file_that_includes_them() throws IOException {
        Path file = write("p.yaml", "include: [more/a.yaml, " + folder + "/c.yml]\n" + policy("own", 1));
        write("more/a.yaml", "include: [../b.txt]\n" + policy("a", 2));
        write("b.txt", policy("b", 3));
        write("c.yml", policy("c", 4));
        PolicyDocument document = read(file, Map.of());
        assertThat(document.policies().names()).containsExactly("own", "a", "b", "c");
        assertThat(document.texts())
                .extracting(text -> text.name().replace(folder + "/", "") + " by "
                        + text.includedBy().orElse("none").replace(folder + "/", ""))
                .containsExactly("p.yaml by none", "more/a.yaml by p.yaml", "b.txt by more/a.yaml", "c.yml by p.yaml");
    }

    @Test
    void a_change_of_an_included_file_is_applied_and_a_missing_one_is_reported() throws Exception {
        Path file = write("p.yaml", "include: [sub/a.yaml]");
        write("sub/a.yaml", policy("a", 1));
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                FilePolicySource source = FilePolicySource.of(file);
                PolicyReloader policies =
                        PolicyReloader.start(engine, source, source.read(), Policies.of(List.of()), listener)) {
            write("sub/a.yaml", policy("a", 2));
            assertThat(nextEvent()).contains("raised from sliding-window 1 per 1h to sliding-window 2 per 1h");
            Files.delete(folder.resolve("sub/a.yaml"));
            assertThat(nextEvent().replace(folder + "/", ""))
                    .isEqualTo("p.yaml:1:11: include[0]: sub/a.yaml: no such file; included: p.yaml -> sub/a.yaml");
            assertThat(permits(policies.registry().policies(), "a")).isEqualTo(2);
            write("sub/a.yaml", policy("a", 3));
            assertThat(nextEvent()).contains("raised from sliding-window 2 per 1h to sliding-window 3 per 1h");
        }
    }

    @Test
    void a_mounted_config_map_that_is_replaced_is_read_as_one_version() throws Exception {
        write("..one/main.yaml", "include: [a.yaml]");
        write("..one/a.yaml", policy("a", 1));
        write("..two/main.yaml", "include: [a.yaml, b.yaml]");
        write("..two/a.yaml", policy("a", 2));
        write("..two/b.yaml", policy("b", 2));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..one"));
        for (String name : List.of("main.yaml", "a.yaml", "b.yaml")) {
            Files.createSymbolicLink(folder.resolve(name), Path.of("..data", name));
        }
        try (InMemoryLimitEngine engine = InMemoryLimitEngine.create();
                FilePolicySource source = FilePolicySource.of(folder.resolve("main.yaml"));
                PolicyReloader policies =
                        PolicyReloader.start(engine, source, source.read(), Policies.of(List.of()), listener)) {
            Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..two"));
            Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
            assertThat(nextEvent()).contains("a.limit: raised").contains("b: added");
            assertThat(policies.registry().policies().names()).containsExactly("a", "b");
        }
    }

    @Test
    void a_cycle_is_an_error_with_its_chain() throws IOException {
        Path file = write("p.yaml", "include: [a.yaml]");
        write("a.yaml", "include:\n  - b.yaml\n");
        write("b.yaml", "include: [./sub/../a.yaml]");
        assertThat(refusal(file))
                .isEqualTo(
                        "b.yaml:1:11: include[0]: is a cycle: p.yaml -> a.yaml -> b.yaml -> a.yaml; remove one of these includes");
        assertThat(refusal(write("self.yaml", "include: [self.yaml]")))
                .isEqualTo(
                        "self.yaml:1:11: include[0]: is a cycle: self.yaml -> self.yaml; remove one of these includes");
    }

    @Test
    void a_file_that_is_included_twice_or_is_in_the_directory_is_an_error() throws IOException {
        write("lib/c.yaml", policy("c", 1));
        Files.createSymbolicLink(folder.resolve("lib/link.yaml"), Path.of("c.yaml"));
        Path file = write("dir/p.yaml", "include: [../lib/c.yaml, ../lib/link.yaml]");
        assertThat(refusal(file))
                .isEqualTo(
                        "dir/p.yaml:1:26: include[1]: is read twice: dir/p.yaml -> lib/link.yaml, and dir/p.yaml -> lib/c.yaml;"
                                + " a file is read once, so remove one of them");
        write("dir/p.yaml", "include: [q.yaml]");
        write("dir/q.yaml", policy("q", 1));
        assertThat(refusal(folder.resolve("dir")))
                .isEqualTo(
                        "dir/p.yaml:1:11: include[0]: is read twice: dir/p.yaml -> dir/q.yaml, and dir/q.yaml itself; a file is"
                                + " read once, so remove one of them");
        write("dir/p.yaml", "include: [../lib/c.yaml]");
        assertThat(read(folder.resolve("dir"), Map.of()).policies().names()).containsExactly("c", "q");
    }

    @Test
    void a_policy_in_two_files_is_an_error_with_the_chains() throws IOException {
        Path file = write("p.yaml", "include: [a.yaml, b.yaml]");
        write("a.yaml", policy("api", 1));
        write("b.yaml", policy("api", 1));
        assertThat(refusal(file))
                .isEqualTo(
                        "b.yaml: policies.api: is also in a.yaml; a policy is defined once, so remove or rename one of them"
                                + "; included: p.yaml -> b.yaml; included: p.yaml -> a.yaml");
    }

    @Test
    void includes_are_bounded_and_are_files() throws IOException {
        for (int i = 0; i < 10; i++) {
            write("d" + i + ".yaml", "include: [d" + (i + 1) + ".yaml]");
        }
        write("d10.yaml", policy("deep", 1));
        assertThat(refusal(folder.resolve("d1.yaml")))
                .startsWith("d9.yaml:1:11: include[0]: is deeper than 8 includes: d1.yaml -> d2.yaml -> ")
                .endsWith(" -> d9.yaml -> d10.yaml");
        assertThat(read(folder.resolve("d2.yaml"), Map.of()).policies().names()).containsExactly("deep");
        assertThat(refusal(write("p.yaml", "include: [sub]"))).contains("sub: no such file");
        Files.createDirectory(folder.resolve("sub"));
        assertThat(refusal(write("p.yaml", "include: [sub]"))).contains("sub: is a directory, a pipe or a device");
        assertThat(refusal(write("p.yaml", "include: [http://127.0.0.1/a.yaml]")))
                .contains(
                        "p.yaml:1:11: include[0]: must be the path of a file, relative to this one or absolute, without"
                                + " variables; URLs are not included, was http://127.0.0.1/a.yaml");
    }

    @Test
    void more_files_than_allowed_are_rejected() throws IOException {
        for (int list = 0; list < 11; list++) {
            StringBuilder names = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                String name = "f" + list + "-" + i + ".yaml";
                Files.writeString(folder.resolve(name), policy("p" + list + "-" + i, 1));
                names.append(i == 0 ? "" : ", ").append(name);
            }
            Files.writeString(folder.resolve("list" + list + ".yaml"), "include: [" + names + "]");
        }
        assertThat(refusal(write(
                        "p.yaml",
                        "include: [list0.yaml, list1.yaml, list2.yaml, list3.yaml, list4.yaml, list5.yaml, list6.yaml,"
                                + " list7.yaml, list8.yaml, list9.yaml, list10.yaml]")))
                .contains("is one more than 1000 files: p.yaml -> list9.yaml");
    }

    @Test
    void files_of_a_directory_count_among_those_that_are_allowed() throws IOException {
        write("lib/b.yaml", policy("b", 1));
        for (int i = 0; i < 999; i++) {
            Files.writeString(folder.resolve("f" + i + ".yaml"), policy("p" + i, 1));
        }
        write("z.yaml", policy("z", 1));
        assertThat(read(folder, Map.of()).texts()).hasSize(1000);
        write("f0.yaml", "include: [lib/b.yaml]");
        assertThat(refusal(folder)).contains("is one more than 1000 files: f0.yaml -> lib/b.yaml");
        Files.delete(folder.resolve("z.yaml"));
        assertThat(read(folder, Map.of()).texts()).hasSize(1000);
    }

    @Test
    void variables_and_includes_may_be_escaped() throws IOException {
        Path file = write("p.yaml", "\"inclu\\x64e\": [a.yaml]\n");
        write("a.yaml", policy("a", "x").replace("'x'", "\"$\\x7bN}\""));
        PolicyDocument document = read(file, Map.of("N", "41"));
        assertThat(permits(document.policies(), "a")).isEqualTo(41);
        assertThat(document.version()).contains("+");
    }

    /** A mounted ConfigMap: all files are links into ..data, which is replaced by a rename. */
    @Test
    void a_read_of_a_file_and_its_includes_has_one_version() throws Exception {
        for (String name : List.of("main.yaml", "a.yaml", "b.yaml")) {
            Files.createSymbolicLink(folder.resolve(name), Path.of("..data", name));
        }
        point(1);
        Path file = folder.resolve("main.yaml");
        CompletableFuture<?> swaps = CompletableFuture.runAsync(() -> {
            for (int version = 2; version <= 100; version++) {
                point(version);
                // A read that finds a change needs some time without another one.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(version % 5 == 0 ? 250 : 4));
            }
        });
        int read = 0;
        try (FilePolicySource source = FilePolicySource.of(file)) {
            while (!swaps.isDone() || read == 0) {
                try {
                    for (Policies policies : List.of(source.read().policies(), PolicyFile.read(file))) {
                        assertThat(policies.list().stream()
                                        .map(policy -> permits(policies, policy.name()))
                                        .distinct())
                                .as("the versions of one read")
                                .hasSize(1);
                        read++;
                    }
                } catch (ConfigException e) {
                    assertThat(e).hasMessageContaining("is modified all the time");
                }
            }
        }
        swaps.join();
        assertThat(read).isPositive();
    }

    /** Writes a version, and puts it in force. */
    private void point(int version) {
        try {
            for (String name : List.of("main", "a", "b")) {
                String include = name.equals("main") ? "include: [a.yaml, b.yaml]\n" : "";
                Path file = write("..v" + version + "/" + name + ".yaml", include + policy(name, version));
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
            }
            Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..v" + version));
            Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void errors_of_all_files_are_listed_together() throws IOException {
        Path file = write("p.yaml", "include: [a.yaml]\n" + policy("own", "many"));
        write("a.yaml", policy("a", "few"));
        assertThat(refusal(file).lines()).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).startsWith("p.yaml:2:").contains("was many");
            assertThat(lines.get(1)).startsWith("a.yaml:1:").contains("was few");
        });
    }
}
