package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher without a required program. {@link LauncherBuildTest} covers builds. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    /** Its PATH has neither Java nor Maven. */
    @SuppressWarnings("NullAway.Init") // set before each test
    private TestClone clone;

    @BeforeEach
    void makeClone() throws IOException {
        clone = new TestClone(folder);
    }

    @Test
    void without_java_the_error_names_what_to_install() throws Exception {
        assertThat(clone.run(clone.launcher, Map.of()))
                .isEqualTo("1 headgate: needs Java 17 or newer, and there is no java on the PATH"
                        + " (Debian: apt install openjdk-17-jdk-headless)");
    }

    @Test
    void a_java_home_without_java_is_named() throws Exception {
        assertThat(clone.run(clone.launcher, Map.of("JAVA_HOME", "/nowhere")))
                .isEqualTo("1 headgate: JAVA_HOME is /nowhere, where there is no bin/java");
    }

    @Test
    void a_java_that_is_too_old_is_named_with_its_version() throws Exception {
        Path java = clone.program("java", "echo 'openjdk version \"1.8.0_412\"' >&2\n");

        assertThat(clone.run(clone.launcher, Map.of()))
                .isEqualTo("1 headgate: needs Java 17 or newer, and " + java
                        + " is version 1; set JAVA_HOME to a newer one");
    }

    @Test
    void without_maven_the_error_names_what_to_install_also_when_called_through_links() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a clone/headgate"));
        Path linkToLink = Files.createSymbolicLink(clone.bin.resolve("hg"), link);

        assertThat(clone.run(linkToLink, Map.of("JAVA_HOME", System.getProperty("java.home"))))
                .isEqualTo("1 headgate: needs Maven 3.8 or newer to build itself, and there is no mvn on the PATH"
                        + " (Debian: apt install maven)");
    }
}
