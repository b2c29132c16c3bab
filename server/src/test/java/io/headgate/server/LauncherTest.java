package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher where something is missing. That it builds and runs is shown by whoever runs it. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {

    private static final List<String> TOOLS = List.of("dirname", "readlink", "sed", "head", "find", "ls", "grep");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    /** A PATH with what every system has, and neither Java nor Maven. */
    @SuppressWarnings("NullAway.Init") // set before each test
    private Path bin;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path launcher;

    @BeforeEach
    void copyLauncher() throws IOException {
        launcher = Files.createDirectory(folder.resolve("a clone")).resolve("headgate");
        Files.copy(Path.of("../headgate"), launcher);
        bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : TOOLS) {
            Files.createSymbolicLink(bin.resolve(tool), ProxyProcess.find(tool).orElseThrow());
        }
    }

    @Test
    void without_java_it_says_what_to_install() throws Exception {
        assertThat(run(launcher, Map.of()))
                .isEqualTo("1 headgate: needs Java 17 or newer, and there is no java on the PATH"
                        + " (Debian: apt install openjdk-17-jdk-headless)");
    }

    @Test
    void a_java_home_without_java_is_named() throws Exception {
        assertThat(run(launcher, Map.of("JAVA_HOME", "/nowhere")))
                .isEqualTo("1 headgate: JAVA_HOME is /nowhere, where there is no bin/java");
    }

    @Test
    void a_java_that_is_too_old_is_named_with_its_version() throws Exception {
        Path java = bin.resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"1.8.0_412\"' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        assertThat(run(launcher, Map.of()))
                .isEqualTo("1 headgate: needs Java 17 or newer, and " + java
                        + " is version 1; set JAVA_HOME to a newer one");
    }

    @Test
    void without_maven_it_says_what_to_install_also_when_called_through_links() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a clone/headgate"));
        Path linkToLink = Files.createSymbolicLink(bin.resolve("hg"), link);

        assertThat(run(linkToLink, Map.of("JAVA_HOME", System.getProperty("java.home"))))
                .isEqualTo("1 headgate: needs Maven 3.8 or newer to build itself, and there is no mvn on the PATH"
                        + " (Debian: apt install maven)");
    }

    private String run(Path program, Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", program.toString(), "--version")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output.strip();
    }
}
