package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import io.headgate.testkit.internal.Processes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void a_child_has_the_class_path_of_its_parent_and_its_own_arguments_and_environment() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class)
                .shortLived()
                .environment("HEADGATE_CHILD", "yes")
                .jvmOptions("-Dheadgate.child=also", "-Xshare:auto")
                .start("say", "one", "two words")) {
            assertThat(child.awaitOutput(LONG))
                    .containsExactly("one", "two words", "environment yes", "property also", "say \u00e9");
            assertThat(child.awaitExit(LONG)).isZero();
            assertThat(child.isAlive()).isFalse();
        }
    }

    @Test
    void a_child_of_a_jar_has_the_class_path_of_the_jar_only(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("child.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, ChildMain.class.getName());
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                InputStream main = ChildMain.class.getResourceAsStream("ChildMain.class")) {
            out.putNextEntry(new JarEntry(ChildMain.class.getName().replace('.', '/') + ".class"));
            Objects.requireNonNull(main).transferTo(out);
        }

        try (ChildJvm child = ChildJvm.ofJar(jar).shortLived().start("say", "one")) {
            assertThat(child.awaitOutput(LONG)).contains("one");
        }
        try (ChildJvm child = ChildJvm.ofJar(jar).shortLived().start("redis")) {
            assertThat(child.awaitExit(LONG)).as("without the test kit").isEqualTo(1);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "basedir", matches = ".+", disabledReason = "Maven does not run this test")
    void tests_and_their_children_keep_temporary_files_in_the_module() {
        String target = Path.of(System.getProperty("basedir"), "target").toString();

        assertThat(System.getProperty("java.io.tmpdir")).isEqualTo(target);
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("temporary")) {
            assertThat(child.awaitOutput(LONG)).containsExactly(target);
        }
    }

    @Test
    void output_lines_are_returned_one_by_one() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("echo")) {
            child.send("first");
            assertThat(child.nextLine(LONG)).contains("first");
            child.send("second");
            child.send("third");
            assertThat(child.awaitLine(line -> line.startsWith("t"), LONG)).isEqualTo("third");
            child.send("exit 7");
            assertThat(child.awaitExit(LONG)).isEqualTo(7);
            assertThat(child.nextLine(LONG)).isEqualTo(Optional.empty());
        }
    }

    @Test
    void a_killed_child_ends_immediately() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("echo")) {
            child.send("here");
            child.nextLine(LONG);

            child.kill();

            assertThat(child.isAlive()).isFalse();
            assertThat(child.awaitExit(LONG)).isEqualTo(128 + 9);
            child.kill();
        }
    }

    @Test
    void a_paused_child_prints_nothing_until_it_is_resumed() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("echo")) {
            child.send("before");
            child.nextLine(LONG);

            child.pause();
            child.send("after");
            assertThatThrownBy(() -> child.nextLine(Duration.ofMillis(200)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("ChildMain")
                    .hasMessageContaining("runs");
            child.resume();

            assertThat(child.nextLine(LONG)).contains("after");
        }
    }

    @Test
    void closing_kills_a_waiting_child_and_its_descendants() {
        ChildJvm child = ChildJvm.of(ChildMain.class)
                .shortLived()
                .prefix("sh", "-c", "\"$@\"; true", "sh")
                .start("echo");
        child.send("here");
        child.nextLine(LONG);
        assertThat(child.descendants()).isNotEmpty();

        var descendants = child.descendants();
        child.close();

        assertThat(child.isAlive()).isFalse();
        assertThat(descendants).allMatch(Processes::isGone);
    }

    @Test
    void a_jvm_that_is_shutting_down_starts_no_child() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("child-while-ending")) {
            assertThat(child.awaitLine(line -> line.startsWith("refused: "), LONG))
                    .contains("this JVM is shutting down");
            assertThat(child.nextLine(LONG)).contains("left: 0");
            assertThat(child.awaitExit(LONG)).isZero();
        }
    }

    @Test
    void a_failed_wait_reports_the_error_output_of_the_child() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("fail")) {
            assertThatThrownBy(() -> child.awaitLine("ready"::equals, LONG))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("out of luck");
            assertThat(child.awaitExit(LONG)).isEqualTo(1);
        }
    }

    @Test
    @Requires(Requirement.LIBFAKETIME)
    void a_child_can_have_a_wrong_clock() {
        try (ChildJvm child =
                ChildJvm.of(ChildMain.class).shortLived().wrongClock("+1h").start("time")) {
            Instant time = Instant.parse(child.nextLine(LONG).orElseThrow());
            assertThat(Duration.between(Instant.now(), time)).isBetween(Duration.ofMinutes(55), Duration.ofMinutes(61));
            child.awaitExit(LONG);
        }
    }
}
