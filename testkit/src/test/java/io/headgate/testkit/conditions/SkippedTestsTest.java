package io.headgate.testkit.conditions;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.internal.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program that checks skipped tests in the build, run on a project of two modules that have only test reports. Its list has
 * {@code fresh} before a class that only a machine without the needed program skips, and {@code always} before one that each machine may.
 */
class SkippedTestsTest {

    private static final Instant BEGIN = Instant.parse("2026-01-05T00:00:00Z");
    private static final String NEEDS = "needs nginx; install Debian's package nginx";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path root;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path classes;

    private record Result(int status, String output) {}

    @BeforeAll
    static void compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, "-d", classes.toString(), "../.ci/SkippedTests.java"))
                .isZero();
    }

    @BeforeEach
    void a_list_and_the_classes_that_it_names() throws IOException {
        Files.createDirectory(root.resolve(".ci"));
        Files.writeString(root.resolve(".ci/skipped-tests.txt"), """
                # a comment

                fresh  | io.headgate.NginxIT   | %s
                always | io.headgate.WaitAofIT | needs WAITAOF
                """.formatted(NEEDS));
        source("one", "NginxIT");
        source("two", "WaitAofIT");
    }

    @Test
    void a_skip_that_is_listed_passes_and_the_last_module_prints_it() throws IOException {
        report("one", "NginxIT", "io.headgate.NginxIT", NEEDS);
        assertThat(check("all", "one")).isEqualTo(new Result(0, ""));
        report("two", "OtherIT", "io.headgate.OtherIT", "");
        assertThat(check("all", "two")).isEqualTo(new Result(0, """
                [INFO] Tests of this build: 1 executed, 1 skipped:
                [INFO]   1 of io.headgate.NginxIT: needs nginx; install Debian's package nginx
                """));
    }

    @Test
    void a_skip_that_is_not_listed_fails_the_build_in_its_module() throws IOException {
        report("one", "OtherIT", "io.headgate.OtherIT", "it is\n late");
        Result result = check("all", "one");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output())
                .contains("[ERROR] a test was skipped that ")
                .contains(
                        "skipped-tests.txt does not list: io.headgate.OtherIT | it is late. Install what it needs, or add"
                                + " the line: fresh | io.headgate.OtherIT | it is late");
    }

    @Test
    void a_listed_class_that_is_skipped_for_another_reason_fails_the_build() throws IOException {
        report("one", "NginxIT", "io.headgate.NginxIT", "disabled");
        assertThat(check("all", "two").status()).isEqualTo(1);
    }

    @Test
    void nested_and_parameterized_classes_belong_to_the_class_around_them() throws IOException {
        report("one", "NginxIT$Nested", "io.headgate.NginxIT$Nested", NEEDS);
        report("two", "WaitAofIT", "io.headgate.WaitAofIT[1]", "needs WAITAOF");
        assertThat(check("all", "two").status()).isZero();
    }

    @Test
    void reports_of_an_earlier_build_are_ignored() throws IOException {
        Path report = report("one", "OtherIT", "io.headgate.OtherIT", "disabled");
        Files.setLastModifiedTime(report, FileTime.from(BEGIN.minusSeconds(1)));
        assertThat(check("all", "two")).isEqualTo(new Result(0, "[INFO] Tests of this build: 0 executed, 0 skipped\n"));
    }

    @Test
    void a_line_for_a_class_that_does_not_exist_fails_the_build() throws IOException {
        Files.delete(root.resolve("one/src/test/java/io/headgate/NginxIT.java"));
        Result result = check("all", "two");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("lists a test that does not exist: io.headgate.NginxIT. Remove the line");
    }

    @Test
    void a_line_of_another_form_fails_the_build() throws IOException {
        Files.writeString(root.resolve(".ci/skipped-tests.txt"), "io.headgate.NginxIT");
        Result result = check("all", "one");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("a line must be").contains("but was: io.headgate.NginxIT");
    }

    @Test
    void the_profile_installed_accepts_only_skipped_tests_that_are_listed_as_always() throws IOException {
        report("one", "NginxIT", "io.headgate.NginxIT", "");
        report("two", "WaitAofIT", "io.headgate.WaitAofIT", "needs WAITAOF");
        assertThat(check("installed", "two").status()).isZero();

        report("one", "NginxIT", "io.headgate.NginxIT", NEEDS);
        Result result = check("installed", "two");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output())
                .contains(
                        "-Pinstalled must execute all tests of this class, but some were skipped: io.headgate.NginxIT");
    }

    @Test
    void the_profile_installed_fails_if_a_class_that_is_listed_as_fresh_or_all_tests_did_not_run() throws IOException {
        report("two", "WaitAofIT", "io.headgate.WaitAofIT", "needs WAITAOF");
        Result result = check("installed", "two");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output())
                .contains("-Pinstalled must execute this test, but none of the class ran: io.headgate.NginxIT")
                .contains("-Pinstalled executed no test");
    }

    private void source(String module, String test) throws IOException {
        Path folder = Files.createDirectories(root.resolve(module).resolve("src/test/java/io/headgate"));
        Files.createFile(folder.resolve(test + ".java"));
    }

    /** Writes a report of one test, which was skipped for the given reason, or ran if the reason is empty. */
    private Path report(String module, String file, String test, String reason) throws IOException {
        Path folder = Files.createDirectories(root.resolve(module).resolve("target/failsafe-reports"));
        String skipped = reason.isEmpty() ? "" : "<skipped message=\"" + reason + "\"/>";
        return Files.writeString(
                folder.resolve("TEST-io.headgate." + file + ".xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="%s"><testcase name="a_test" classname="%s">%s</testcase></testsuite>
                """.formatted(test, test, skipped));
    }

    /** Runs the program as Maven does in a module; {@code two} is the last module. */
    private Result check(String run, String module) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classes.toString(),
                        "SkippedTests",
                        root.toString(),
                        BEGIN.toString(),
                        run,
                        root.resolve(module).toString(),
                        "projects [MavenProject: a:one:1 @ %s/one/pom.xml, MavenProject: a:two:1 @ %s/two/pom.xml]"
                                .formatted(root, root)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(Processes.exited(process, Duration.ofSeconds(60))).isTrue();
        return new Result(process.exitValue(), output);
    }
}
