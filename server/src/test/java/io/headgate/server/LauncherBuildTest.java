package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher builds Headgate and runs the build. Maven and Java are scripts that record their calls. A launcher that builds has a lock,
 * a link to its process id. A launcher that removes an abandoned lock, or an abandoned guard, has a guard of it: a link of the same kind.
 */
@DisabledOnOs(OS.WINDOWS)
class LauncherBuildTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    /** Above the highest process id of Linux and of macOS. */
    private static final String NO_PROCESS = "4194305";

    private static final Pattern JAR = Pattern.compile("-jar (.*/headgate\\.jar) --version");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private TestClone clone;

    @BeforeEach
    void makeClone() throws IOException {
        clone = new TestClone(folder);
        // Both programs continue unless a file makes them wait. A built jar has one line for each call of Maven so far.
        clone.program("mvn", """
                echo call >>../calls
                echo $$ >../mvn.new; mv ../mvn.new ../mvn.pid
                while [ -e ../hold-mvn ]; do sleep 0.02; done
                if [ -e ../break-mvn ]; then echo "it does not compile"; exit 1; fi
                mkdir -p server/target/lib
                cat ../calls >server/target/headgate-server-1.jar
                cat ../calls >server/target/lib/other.jar
                """);
        clone.program("java", """
                if [ "$2" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit; fi
                echo "java $*"
                while [ -e "%s/hold-java" ]; do sleep 0.02; done
                """.formatted(folder));
    }

    @Test
    void the_first_run_builds_and_runs_a_copy_of_the_build() throws Exception {
        String said = clone.run();

        assertThat(said).startsWith("0 headgate: building").contains("-XX:+ExitOnOutOfMemoryError");
        Path jar = jarIn(said);
        assertThat(jar.startsWith(clone.home.resolve("server/target"))).isFalse();
        assertThat(jar).hasContent("call");
        assertThat(jar.resolveSibling("lib/other.jar")).hasContent("call");
    }

    @Test
    void a_later_run_builds_only_when_a_source_was_changed_added_or_removed() throws Exception {
        Path first = jarIn(clone.run());
        assertThat(jarIn(clone.run())).isEqualTo(first);
        assertThat(calls()).isEqualTo(1);

        Path source = Files.createFile(clone.home.resolve("redis/src/main/new.lua"));
        makeNewer(source);
        assertThat(jarIn(clone.run())).isNotEqualTo(first).hasContent("call\ncall");

        Files.delete(source);
        makeNewer(clone.home.resolve("redis/src/main"));
        clone.run();
        assertThat(calls()).isEqualTo(3);

        makeNewer(clone.home.resolve("pom.xml"));
        clone.run();
        clone.run();
        assertThat(calls()).isEqualTo(4);
    }

    @Test
    void a_build_still_runs_after_target_was_cleaned() throws Exception {
        Path jar = jarIn(clone.run());
        Files.delete(clone.home.resolve("server/target/headgate-server-1.jar"));

        assertThat(jarIn(clone.run())).isEqualTo(jar).exists();
        assertThat(calls()).isEqualTo(1);
    }

    @Test
    void a_failed_build_exits_with_1_and_its_output_and_is_retried() throws Exception {
        Files.createFile(folder.resolve("break-mvn"));

        String said = clone.run();
        assertThat(said).startsWith("1 ").contains("it does not compile", "the build failed; its whole output is in ");
        assertThat(Path.of(said.substring(said.indexOf(" is in ") + 7))).hasContent("it does not compile");

        Files.delete(folder.resolve("break-mvn"));
        assertThat(clone.run()).startsWith("0 ");
    }

    @Test
    void a_build_in_use_is_kept_and_a_later_build_removes_it() throws Exception {
        Files.createFile(folder.resolve("hold-java"));
        Process server = clone.start(clone.launcher, Map.of());
        Path running = jarIn(awaitLine(server.inputReader(), "java "));

        makeNewer(clone.home.resolve("pom.xml"));
        Process second = clone.start(clone.launcher, Map.of());
        Path next = jarIn(awaitLine(second.inputReader(), "java "));

        assertThat(next).isNotEqualTo(running).hasContent("call\ncall");
        assertThat(running).hasContent("call");
        assertThat(running.resolveSibling("lib/other.jar")).hasContent("call");
        Files.delete(folder.resolve("hold-java"));
        assertThat(server.waitFor()).isZero();
        assertThat(second.waitFor()).isZero();
        makeNewer(clone.home.resolve("bom/pom.xml"));
        assertThat(jarIn(clone.run())).hasContent("call\ncall\ncall");
        assertThat(running.getParent()).doesNotExist();
    }

    @Test
    void of_two_concurrent_launchers_one_builds_and_the_other_waits() throws Exception {
        Files.createFile(folder.resolve("hold-mvn"));
        Process one = clone.start(clone.launcher, Map.of());
        Await.until("the build", LONG, () -> Files.exists(folder.resolve("calls")));
        Process two = clone.start(clone.launcher, Map.of());
        BufferedReader linesOfTwo = two.inputReader();
        assertThat(awaitLine(linesOfTwo, "headgate: ")).contains("another ./headgate builds", "/build.lock");

        Files.delete(folder.resolve("hold-mvn"));

        Path jar = jarIn(awaitLine(one.inputReader(), "java "));
        assertThat(jarIn(awaitLine(linesOfTwo, "java "))).isEqualTo(jar);
        assertThat(one.waitFor()).isZero();
        assertThat(two.waitFor()).isZero();
        assertThat(calls()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HUP", "INT", "TERM"})
    void a_signal_ends_the_launcher_and_its_build(String signal) throws Exception {
        Files.createFile(folder.resolve("hold-mvn"));
        Process launcher = clone.start(clone.launcher, Map.of());
        ProcessHandle maven = awaitMaven();

        kill(signal, launcher.pid());

        assertThat(launcher.waitFor()).isEqualTo(1);
        assertThat(maven.isAlive()).isFalse();
        assertNoLockIsLeft();
    }

    @Test
    void the_lock_of_a_killed_launcher_is_valid_until_its_build_has_ended() throws Exception {
        Files.createFile(folder.resolve("hold-mvn"));
        Process killed = clone.start(clone.launcher, Map.of());
        ProcessHandle maven = awaitMaven();
        kill("KILL", killed.pid());
        killed.waitFor();
        Process next = clone.start(clone.launcher, Map.of());
        BufferedReader lines = next.inputReader();
        assertThat(awaitLine(lines, "headgate: ")).contains("another ./headgate builds");
        assertThat(calls()).isEqualTo(1);

        Files.delete(folder.resolve("hold-mvn"));

        assertThat(jarIn(awaitLine(lines, "java "))).hasContent("call\ncall");
        assertThat(next.waitFor()).isZero();
        assertThat(maven.isAlive()).isFalse();
        assertNoLockIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ln build.lock", "ln build.lock.next", "mv build.lock"})
    void a_launcher_that_is_killed_while_it_has_the_lock_does_not_block_others(String moment) throws Exception {
        String tool = moment.substring(0, 2);
        String real = ProxyProcess.find(tool).orElseThrow().toString();
        // Runs the tool; if this is the moment, it then kills the launcher, whose id is the first word of the lock.
        Path program = clone.program(tool, """
                %s "$@"
                status=$?
                case $* in *%s) set -- $(readlink "%s"); kill -KILL "$1" ;; esac
                exit $status
                """.formatted(real, moment.substring(3), lock()));
        assertThat(clone.start(clone.launcher, Map.of()).waitFor()).isEqualTo(128 + 9);
        assertThat(Files.isSymbolicLink(lock())).isTrue();
        Files.writeString(program, "#!/bin/sh\nexec " + real + " \"$@\"\n");

        assertThat(clone.run()).startsWith("0 ");

        assertNoLockIsLeft();
    }

    @Test
    void a_lock_with_the_id_of_the_launcher_itself_is_abandoned() throws Exception {
        Path restarted = clone.program("restarted", """
                mkdir -p "%s"
                ln -s $$ "%s"
                exec /bin/sh "%s" "$@"
                """.formatted(lock().getParent(), lock(), clone.launcher));

        assertThat(clone.run(restarted, Map.of())).startsWith("0 headgate: building");

        assertNoLockIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".guard", ".guard.guard"})
    void files_of_launchers_that_were_killed_while_they_removed_a_lock_do_not_block_others(String last)
            throws Exception {
        Files.createDirectory(lock().getParent());
        for (String link = ""; link.length() <= last.length(); link += ".guard") {
            abandon(link);
        }

        assertThat(clone.run()).startsWith("0 headgate: building");

        assertNoLockIsLeft();
    }

    @Test
    void a_guard_without_a_lock_is_removed() throws Exception {
        Files.createDirectory(lock().getParent());
        abandon(".guard");

        assertThat(clone.run()).startsWith("0 headgate: building");

        assertNoLockIsLeft();
    }

    @Test
    void a_launcher_that_found_an_abandoned_lock_does_not_remove_a_newer_lock() throws Exception {
        Files.createFile(folder.resolve("hold-mvn"));
        Files.createDirectory(lock().getParent());
        abandon("");
        Process later = startHeldAtReadlink(1);

        Process earlier = clone.start(clone.launcher, Map.of());
        awaitMaven();
        Files.delete(folder.resolve("hold-readlink"));

        BufferedReader lines = later.inputReader();
        assertThat(awaitLine(lines, "headgate: ")).contains("another ./headgate builds");
        Files.delete(folder.resolve("hold-mvn"));
        assertBuiltOnce(earlier, later);
    }

    @Test
    void while_one_launcher_removes_an_abandoned_lock_another_waits() throws Exception {
        Files.createDirectory(lock().getParent());
        abandon("");
        Process first = startHeldAtReadlink(2);

        Process second = clone.start(clone.launcher, Map.of());
        BufferedReader lines = second.inputReader();
        assertThat(awaitLine(lines, "headgate: ")).contains("another ./headgate builds");
        Files.delete(folder.resolve("hold-readlink"));

        assertBuiltOnce(first, second);
    }

    @Test
    void a_lock_that_is_released_at_each_attempt_is_no_failure() throws Exception {
        String real = ProxyProcess.find("ln").orElseThrow().toString();
        clone.program("sleep", "");
        // The first five calls fail as if a lock existed, which has been released before the launcher reads it.
        clone.program("ln", """
                echo attempt >>"%1$s/attempts"
                set -- "$@" $(cat "%1$s/attempts")
                [ $# -gt 8 ] || { echo 'File exists' >&2; exit 1; }
                exec %2$s "$1" "$2" "$3"
                """.formatted(folder, real));

        assertThat(clone.run()).startsWith("0 headgate: building");
    }

    @Test
    void a_lock_that_cannot_be_created_exits_with_1_and_the_reason() throws Exception {
        clone.program("sleep", "");
        clone.program("ln", "echo 'no links here' >&2; exit 1\n");

        assertThat(clone.run()).startsWith("1 ").contains("can't create ", ".headgate/build.lock", "no links here");
    }

    @Test
    void temporary_files_are_kept_in_the_clone() throws Exception {
        Path temporary = clone.home.resolve(".headgate/tmp");

        assertThat(clone.run()).contains("-Djava.io.tmpdir=" + temporary + " ", "-XX:-UsePerfData");
        assertThat(temporary).isDirectory();
        assertThat(clone.run(clone.launcher, Map.of("HEADGATE_JAVA_OPTIONS", "-Djava.io.tmpdir=/other")))
                .containsSubsequence("-Djava.io.tmpdir=" + temporary, "-Djava.io.tmpdir=/other", "-jar");
    }

    private Path lock() {
        return clone.home.resolve(".headgate/build.lock");
    }

    /** Creates the lock, or a guard of it if there is a suffix, with the id of a process that cannot exist. */
    private void abandon(String suffix) throws IOException {
        Files.createSymbolicLink(Path.of(lock() + suffix), Path.of(NO_PROCESS));
    }

    /** Starts a launcher that waits after this call of readlink until the file hold-readlink is deleted. */
    private Process startHeldAtReadlink(int call) throws IOException {
        Path bin = Files.createDirectory(folder.resolve("held"));
        Files.copy(clone.bin.resolve("readlink"), bin.resolve("really-readlink"), StandardCopyOption.COPY_ATTRIBUTES);
        Path readlink = clone.program("readlink-held", """
                really-readlink "$@" || exit
                echo call >>"%1$s/readlinks"
                set -- $(cat "%1$s/readlinks")
                if [ $# -eq %2$d ]; then
                  echo >"%1$s/at-readlink"
                  while [ -e "%1$s/hold-readlink" ]; do sleep 0.02; done
                fi
                """.formatted(folder, call));
        Files.move(readlink, bin.resolve("readlink"));
        Files.createFile(folder.resolve("hold-readlink"));
        Process held = clone.start(clone.launcher, Map.of("PATH", bin + ":" + clone.bin));
        Await.until("readlink", LONG, () -> Files.exists(folder.resolve("at-readlink")));
        return held;
    }

    private void assertBuiltOnce(Process one, Process two) throws Exception {
        assertThat(one.waitFor()).isZero();
        assertThat(two.waitFor()).isZero();
        assertThat(calls()).isEqualTo(1);
        assertNoLockIsLeft();
    }

    private void assertNoLockIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(lock().getParent())) {
            assertThat(left.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith("build.lock"));
        }
    }

    /** Waits until the lock contains the process id of Maven, and returns that process. */
    private ProcessHandle awaitMaven() throws IOException {
        Path pid = folder.resolve("mvn.pid");
        Await.until("the build", LONG, () -> Files.exists(pid));
        Await.until("its id in the lock", LONG, () -> lockContains(pid));
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    private boolean lockContains(Path pid) {
        try {
            return Files.readSymbolicLink(lock())
                    .toString()
                    .endsWith(" " + Files.readString(pid).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void kill(String signal, long processId) throws Exception {
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + processId).start();
        assertThat(kill.waitFor()).isZero();
    }

    private static String awaitLine(BufferedReader lines, String start) throws IOException {
        StringBuilder said = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
            said.append(line).append('\n');
        }
        throw new AssertionError("ended without " + start + ": " + said);
    }

    private static Path jarIn(String said) {
        Matcher jar = JAR.matcher(said);
        assertThat(jar.find()).as(said).isTrue();
        return Path.of(jar.group(1));
    }

    private int calls() throws IOException {
        return Files.readAllLines(folder.resolve("calls")).size();
    }

    /** Sets the time of a file to shortly after the start of the newest build, and before the start of the next one. */
    private void makeNewer(Path changed) throws IOException {
        Instant built = Files.getLastModifiedTime(clone.home.resolve(".headgate/newest-server"))
                .toInstant();
        Files.setLastModifiedTime(changed, FileTime.from(built.plusMillis(1)));
    }
}
