package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyStatus.Rejection;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilePolicySourceTest {

    /** Less than the time for which a file must be unchanged before it is read. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

    private static final int ATTEMPTS = 50;

    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @AfterEach
    void close() {
        engine.close();
    }

    /** What the listener of a reloader received; rejects the policy {@code forbidden}. */
    private final PolicyListener listener = new PolicyListener() {
        @Override
        public void check(Policies next) {
            if (next.find("forbidden").isPresent()) {
                throw new IllegalArgumentException("policy forbidden is not allowed here");
            }
        }

        @Override
        public void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {
            events.add(changes.stream().map(PolicyChange::toString).toList());
        }

        @Override
        public void rejected(Rejection rejection) {
            events.add(rejection.reason());
        }
    };

    private PolicyReloader start(Path path) {
        return start(FilePolicySource.of(path));
    }

    private PolicyReloader start(FilePolicySource source) {
        return PolicyReloader.start(engine, source, source.read(), Policies.of(List.of()), listener);
    }

    private Object nextEvent() throws InterruptedException {
        Object event = events.poll(60, TimeUnit.SECONDS);
        assertThat(event).as("an event of the reloader").isNotNull();
        return event;
    }

    /** Awaits the event of a file that was written in place. A writer that pauses may be read while its file is still empty. */
    private void awaitAfterWrite(Path file, List<String> expected) throws InterruptedException {
        Object event = nextEvent();
        while (event instanceof String reason && reason.startsWith(file + ":1:1: is empty")) {
            event = nextEvent();
        }
        assertThat(event).isEqualTo(expected);
    }

    private static String api(long permits) {
        return policy("api", permits);
    }

    private static String policy(String name, long permits) {
        return "policies: { " + name + ": { rules: { limit: { by: user, sliding-window: { permits: " + permits
                + ", window: 1h } } } } }";
    }

    private static List<String> raised(long from, long to) {
        return List.of("api.limit: raised from sliding-window " + from + " per 1h to sliding-window " + to + " per 1h");
    }

    private Path write(String file, String text) throws IOException {
        return Files.writeString(folder.resolve(file), text);
    }

    /** Writes another file, and renames it. */
    private void replace(Path file, String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next.tmp"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void a_renamed_file_is_applied_and_counts_continue() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(file)) {
            Limiter api = policies.registry().limiter("api");
            String first = policies.status().version();
            assertThat(api.tryAcquire("alice").remaining()).isEqualTo(1);
            replace(file, api(10));
            assertThat(nextEvent()).isEqualTo(raised(2, 10));
            assertThat(api.tryAcquire("alice").remaining()).isEqualTo(8);
            assertThat(policies.status().version()).isNotEqualTo(first).hasSize(12);
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_file_that_is_written_in_place_is_applied() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(file)) {
            Files.writeString(file, api(3));
            awaitAfterWrite(file, raised(2, 3));
            Files.writeString(file, api(4));
            awaitAfterWrite(file, raised(3, 4));
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void an_invalid_version_is_rejected_and_the_last_valid_one_stays_in_force() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(file)) {
            String version = policies.status().version();
            replace(file, api(2).replace("window: 1h", "windw: 1h"));
            String problem = file + ":1:78: policies.api.rules.limit.sliding-window.windw: unknown key; "
                    + "did you mean window? Allowed: permits, window";
            assertThat(nextEvent()).isEqualTo(problem);
            assertThat(policies.status().version()).isEqualTo(version);
            Rejection rejection = policies.status().rejected().orElseThrow();
            assertThat(rejection.version()).isPresent().get().isNotEqualTo(version);
            assertThat(rejection)
                    .hasToString("version " + rejection.version().orElseThrow() + " rejected at " + rejection.at()
                            + ": " + problem);
            assertThat(policies.registry().limiter("api").tryAcquire("alice").remaining())
                    .isEqualTo(1);

            replace(file, api(5));
            assertThat(nextEvent()).isEqualTo(raised(2, 5));
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_missing_empty_or_cut_file_removes_no_limit() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(file)) {
            Files.delete(file);
            assertThat(nextEvent()).isEqualTo(file + ": no such file");
            assertThat(policies.status().rejected().orElseThrow().toString()).startsWith("the source rejected at ");
            replace(file, "");
            assertThat((String) nextEvent()).startsWith(file + ":1:1: is empty");
            replace(file, "policies: {}");
            assertThat((String) nextEvent()).startsWith(file + ":1:1: policies: has no policies");
            assertThat(policies.registry().policies().names()).containsExactly("api");

            replace(file, api(2));
            assertThat(nextEvent())
                    .as("the version in force is the latest again")
                    .isEqualTo(List.of());
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_version_that_the_listener_rejects_or_that_cannot_update_a_limiter_is_not_applied() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(file)) {
            replace(file, policy("forbidden", 2));
            assertThat(nextEvent()).isEqualTo("policy forbidden is not allowed here");
            replace(file, api(2).replace("by: user", "by: ip"));
            assertThat((String) nextEvent()).startsWith("the dimensions of rule limit of policy api can't change");
            assertThat(policies.registry().policies().names()).containsExactly("api");
        }
    }

    @Test
    void all_files_of_a_directory_are_one_version() throws Exception {
        write("a.yaml", api(2));
        write("b.yml", policy("login", 3));
        write(".hidden.yaml", "not: policies");
        write("notes.txt", "not: policies");
        try (PolicyReloader policies = start(folder)) {
            assertThat(policies.registry().policies().names()).containsExactly("api", "login");
            replace(folder.resolve("c.yaml"), policy("api", 9));
            assertThat((String) nextEvent())
                    .isEqualTo(folder.resolve("c.yaml") + ": policies.api: is also in " + folder.resolve("a.yaml")
                            + "; a policy is defined once, so remove or rename one of them");
            Files.delete(folder.resolve("a.yaml"));
            assertThat(nextEvent()).isEqualTo(raised(2, 9));
        }
    }

    /** A mounted ConfigMap: the file is a link into ..data, which is a link to a folder that is replaced by a rename. */
    @Test
    void a_mounted_config_map_is_applied_when_its_link_is_replaced() throws Exception {
        Path file = folder.resolve("policies.yaml");
        link(folder.resolve("..1"), api(2));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
        Files.createSymbolicLink(file, Path.of("..data/policies.yaml"));
        try (PolicyReloader policies = start(file)) {
            updateConfigMap("..2", api(3));
            assertThat(nextEvent()).isEqualTo(raised(2, 3));
            updateConfigMap("..3", api(4));
            assertThat(nextEvent()).isEqualTo(raised(3, 4));
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    private void updateConfigMap(String target, String text) throws IOException {
        link(folder.resolve(target), text);
        Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(target));
        Files.move(folder.resolve("..data_tmp"), folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void link(Path target, String text) throws IOException {
        Files.createDirectory(target);
        Files.writeString(target.resolve("policies.yaml"), text);
    }

    /** The events of the directory of a link say nothing about its target, so that this change is found by comparing attributes. */
    @Test
    void a_change_without_an_event_is_applied() throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere")).resolve("limits");
        Files.writeString(elsewhere, api(2));
        Path file = Files.createSymbolicLink(folder.resolve("policies.yaml"), elsewhere);
        try (PolicyReloader policies = start(file)) {
            replace(elsewhere, api(3));
            assertThat(nextEvent()).isEqualTo(raised(2, 3));
            replace(elsewhere, api(4));
            assertThat(nextEvent()).as("after the start of the watch").isEqualTo(raised(3, 4));
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_directory_that_is_created_again_is_watched_again() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path file = Files.writeString(inner.resolve("policies.yaml"), api(2));
        try (PolicyReloader policies = start(file)) {
            Files.delete(file);
            Files.delete(inner);
            assertThat(nextEvent()).isEqualTo(file + ": no such file");
            Files.createDirectory(inner);
            replace(file, api(3));
            assertThat(nextEvent()).isEqualTo(raised(2, 3));
            replace(file, api(4));
            assertThat(nextEvent()).isEqualTo(raised(3, 4));
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_source_without_a_first_version_is_closed() {
        FilePolicySource source = FilePolicySource.of(folder.resolve("missing.yaml"));
        assertThatThrownBy(() -> PolicyReloader.start(engine, source)).isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> source.watch(() -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the source is closed");
    }

    @Test
    void an_invalid_first_version_fails_the_start() throws Exception {
        Path missing = folder.resolve("missing.yaml");
        assertThatThrownBy(() -> start(missing))
                .isInstanceOf(ConfigException.class)
                .hasMessage(missing + ": no such file");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> start(empty))
                .isInstanceOf(ConfigException.class)
                .hasMessage(empty + ": has no .yaml or .yml file");
        Path forbidden = write("forbidden.yaml", policy("forbidden", 1));
        assertThatThrownBy(() -> start(forbidden))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("policy forbidden is not allowed here");
    }

    /** Without a poll for an hour, only events notify. */
    private PolicyReloader startWithEventsOnly(Path path) {
        return start(new FilePolicySource(path, Map.of(), Duration.ofHours(1), true));
    }

    @Test
    void an_event_notifies_without_a_poll() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = startWithEventsOnly(file)) {
            replace(file, api(3));
            assertThat(nextEvent()).isEqualTo(raised(2, 3));
            Files.writeString(file, api(4));
            awaitAfterWrite(file, raised(3, 4));
            Files.delete(file);
            assertThat(nextEvent()).isEqualTo(file + ": no such file");
            assertThat(policies.status().rejected()).isPresent();
        }
    }

    @Test
    void an_event_notifies_of_a_mounted_config_map_and_of_a_file_in_a_directory() throws Exception {
        Path file = folder.resolve("policies.yaml");
        link(folder.resolve("..1"), api(2));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
        Files.createSymbolicLink(file, Path.of("..data/policies.yaml"));
        try (PolicyReloader policies = startWithEventsOnly(file)) {
            updateConfigMap("..2", api(3));
            assertThat(nextEvent()).isEqualTo(raised(2, 3));
            updateConfigMap("..3", api(4));
            assertThat(nextEvent()).isEqualTo(raised(3, 4));
            assertThat(policies.status().rejected()).isEmpty();
        }
        Path directory = Files.createDirectory(folder.resolve("directory"));
        Files.writeString(directory.resolve("a.yaml"), api(2));
        try (PolicyReloader policies = startWithEventsOnly(directory)) {
            for (int i = 3; i < 5; i++) {
                Path inside = Files.writeString(directory.resolve("a.yaml"), api(i));
                awaitAfterWrite(inside, raised(i - 1, i));
            }
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_poll_notifies_without_events() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (PolicyReloader policies = start(new FilePolicySource(file, Map.of(), Duration.ofMillis(20), false))) {
            for (int i = 3; i < 6; i++) {
                replace(file, api(i));
                assertThat(nextEvent()).isEqualTo(raised(i - 1, i));
            }
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    /** For example on a file system with a coarse clock. */
    @Test
    void a_change_that_no_attribute_shows_is_applied() throws Exception {
        Path file = write("policies.yaml", api(2));
        FileTime modified = FileTime.from(Instant.now().minusSeconds(60));
        Files.setLastModifiedTime(file, modified);
        try (PolicyReloader policies = start(new FilePolicySource(file, Map.of(), Duration.ofMillis(20), false))) {
            for (int i = 3; i < 5; i++) {
                Files.writeString(file, api(i));
                Files.setLastModifiedTime(file, modified);
                awaitAfterWrite(file, raised(i - 1, i));
            }
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_file_that_is_being_written_is_not_applied_before_its_end() throws Exception {
        for (int attempt = 1; writeSlowly(attempt) > LONGEST_PAUSE_NANOS; attempt++) {
            // A writer that pauses for longer, as on a busy machine, may be read before its end.
            assertThat(attempt).as("attempts, all with long pauses").isLessThan(ATTEMPTS);
        }
    }

    /**
     * Writes a file of which each prefix that ends with a line is valid and has fewer policies, and awaits its end. If the pauses were
     * short, only the whole file was applied. Returns the longest pause.
     */
    private long writeSlowly(int attempt) throws Exception {
        Path directory = Files.createDirectory(folder.resolve("attempt-" + attempt));
        Path file = Files.writeString(directory.resolve("policies.yaml"), "policies:\n" + line(0));
        List<Integer> applied = new ArrayList<>();
        List<String> rejected = new ArrayList<>();
        long longestPause = 0;
        try (PolicyReloader policies = start(file)) {
            long last = System.nanoTime();
            try (Writer writer = Files.newBufferedWriter(file);
                    Writer log = Files.newBufferedWriter(directory.resolve("other.log"))) {
                for (int i = 0; i < 200; i++) {
                    writer.write((i == 0 ? "policies:\n" : "") + line(i));
                    writer.flush();
                    longestPause = Math.max(longestPause, System.nanoTime() - last);
                    last = System.nanoTime();
                    log.write("another file of the directory\n");
                    log.flush();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                }
            }
            while (applied.stream().mapToInt(Integer::intValue).sum() < 199) {
                Object event = nextEvent();
                if (event instanceof List<?> added) {
                    applied.add(added.size());
                } else {
                    rejected.add((String) event);
                }
            }
            assertThat(policies.registry().policies().names()).hasSize(200);
        }
        if (longestPause <= LONGEST_PAUSE_NANOS) {
            assertThat(applied).containsExactly(199);
            assertThat(rejected).allMatch(reason -> reason.contains("is modified all the time"));
        }
        return longestPause;
    }

    private static String line(int policy) {
        return "  p" + policy + ": { rules: { limit: { by: user, sliding-window: { permits: 1, window: 1h } } } }\n";
    }

    /** Two versions of a directory, of which the link is replaced all the time. Each read must have either, and never a mixture. */
    @Test
    void a_read_of_a_directory_has_one_version() throws Exception {
        FilePolicySource source = FilePolicySource.of(folder.resolve("current"));
        Set<String> versions = new HashSet<>();
        for (int version = 1; version <= 2; version++) {
            Path directory = Files.createDirectory(folder.resolve("v" + version));
            for (int i = 0; i < 20; i++) {
                Path file = Files.writeString(directory.resolve("p" + i + ".yaml"), policy("p" + i, version));
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
            }
            point("current", "v" + version);
            versions.add(source.read().version());
        }
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<?> swaps = CompletableFuture.runAsync(() -> {
            for (int i = 0; !stopped.get(); i++) {
                point("current", "v" + (1 + i % 2));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
            }
        });
        for (int i = 0; i < 300; i++) {
            try {
                assertThat(versions).contains(source.read().version());
            } catch (ConfigException e) {
                assertThat(e).hasMessageContaining("is modified all the time");
            }
        }
        stopped.set(true);
        swaps.join();
    }

    private void point(String link, String target) {
        try {
            Path next = Files.createSymbolicLink(folder.resolve("next-link"), Path.of(target));
            Files.move(next, folder.resolve(link), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_failure_of_a_listener_changes_nothing_and_ends_nothing() throws Exception {
        Path file = write("policies.yaml", api(2));
        FilePolicySource source = FilePolicySource.of(file);
        PolicyListener failing = new PolicyListener() {
            @Override
            public void applied(PolicyStatus status, Policies policies, List<PolicyChange> changes) {
                events.add(status.version());
                throw new IllegalArgumentException("a failure of the test");
            }

            @Override
            public void rejected(Rejection rejection) {
                events.add(rejection.reason());
                throw new AssertionError("a failure of the test");
            }
        };
        try (PolicyReloader policies =
                PolicyReloader.start(engine, source, source.read(), Policies.of(List.of()), failing)) {
            replace(file, api(3));
            assertThat(nextEvent()).isEqualTo(policies.status().version());
            assertThat(policies.status().rejected()).isEmpty();
            replace(file, "");
            assertThat((String) nextEvent()).contains("is empty");
            replace(file, api(4));
            assertThat(nextEvent()).isEqualTo(policies.status().version());
            assertThat(policies.status().rejected()).isEmpty();
        }
    }

    @Test
    void a_directory_has_at_most_1000_files() throws Exception {
        for (int i = 0; i <= FilePolicySource.MAX_FILES; i++) {
            write("p" + i + ".yaml", policy("p" + i, 1));
        }
        assertThatThrownBy(() -> FilePolicySource.of(folder).read())
                .isInstanceOf(ConfigException.class)
                .hasMessage(folder + ": has more than 1000 .yaml and .yml files");
    }

    @Test
    void a_closed_reloader_applies_nothing_and_its_policies_stay_in_force() throws Exception {
        Path file = write("policies.yaml", api(2));
        PolicyReloader policies = start(file);
        policies.close();
        policies.close();
        replace(file, api(3));
        PolicyStatus before = policies.status();
        assertThat(policies.reload()).isEqualTo(before);
        replace(file, "");
        assertThat(policies.reload()).isEqualTo(before);
        assertThat(policies.registry().limiter("api").tryAcquire("alice").allowed())
                .isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void a_source_is_watched_once() throws Exception {
        Path file = write("policies.yaml", api(2));
        try (FilePolicySource source = FilePolicySource.of(file)) {
            source.watch(() -> events.add("changed"));
            assertThat(nextEvent()).isEqualTo("changed");
            assertThatThrownBy(() -> source.watch(() -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the source is watched already");
        }
    }
}
