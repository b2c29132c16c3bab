package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A clone of Headgate with the real launcher. Its PATH has only standard tools and the programs of a test. */
final class TestClone {

    private static final List<String> TOOLS = List.of(
            "cat",
            "cp",
            "date",
            "dirname",
            "find",
            "grep",
            "head",
            "ln",
            "ls",
            "mkdir",
            "mv",
            "ps",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sleep",
            "tail",
            "tr");
    private static final List<String> MODULES =
            List.of("bom", "limits", "queues", "testkit", "redis", "config", "http", "server");

    final Path home;
    final Path launcher;
    final Path bin;
    private final Path folder;

    /** Creates the clone in an empty folder. The path of the clone contains a space. */
    TestClone(Path folder) throws IOException {
        this.folder = folder;
        home = Files.createDirectory(folder.resolve("a clone"));
        launcher = Files.copy(Path.of("../headgate"), home.resolve("headgate"));
        bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : TOOLS) {
            var found = ProxyProcess.find(tool);
            if (found.isPresent()) {
                program(tool, "exec " + found.get() + " \"$@\"\n");
            }
        }
        Files.createFile(home.resolve("pom.xml"));
        for (String module : MODULES) {
            Files.createDirectories(home.resolve(module).resolve("src/main"));
            Files.createFile(home.resolve(module).resolve("pom.xml"));
        }
    }

    /** Puts a program on the PATH, in place of a real one. */
    Path program(String name, String script) throws IOException {
        Path program = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }

    /** Runs the launcher, or a program that runs it, to its end, and returns its exit code and its output. */
    String run(Path program, Map<String, String> environment) throws IOException, InterruptedException {
        Process process = start(program, environment);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output.strip();
    }

    String run() throws IOException, InterruptedException {
        return run(launcher, Map.of());
    }

    Process start(Path program, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", program.toString(), "--version")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
