package io.headgate.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The modules with main Java code: their compiled classes, and the text of their sources and of the guides. */
final class Modules {

    static final Path HOME = Path.of("..").toAbsolutePath().normalize();

    static final List<String> NAMES = List.of(
            "limits",
            "queues",
            "testkit",
            "redis",
            "config",
            "config/etcd",
            "config/consul",
            "metrics",
            "http",
            "spring/boot",
            "spring/boot3",
            "spring/boot4",
            "spring/test",
            "spring/gateway",
            "server",
            "bench",
            "examples");

    /** Folders with tests or sample applications only, whose sources are read too. */
    private static final List<String> TESTS = List.of(
            "spring/tests",
            "spring/boot3-tests",
            "spring/boot4-tests",
            "spring/policy-tests",
            "spring/gateway-tests",
            "spring/boot3-gateway-tests",
            "spring/boot4-gateway-tests",
            "spring/samples",
            "spring/bench/controller",
            "spring/bench/gateway",
            "examples/spring-mvc",
            "examples/spring-webflux",
            "examples/spring-gateway",
            "examples/spring-gateway-mvc");

    private static final Map<String, JavaClasses> CLASSES = new ConcurrentHashMap<>();

    private Modules() {}

    /** The main classes of one module. */
    static JavaClasses classes(String module) {
        return CLASSES.computeIfAbsent(module, name -> new ClassFileImporter().importPath(compiled(name)));
    }

    /** The main classes of all modules. */
    static JavaClasses allClasses() {
        return new ClassFileImporter()
                .importPaths(NAMES.stream().map(Modules::compiled).toList());
    }

    private static Path compiled(String module) {
        Path folder = HOME.resolve(module).resolve("target/classes");
        if (!Files.isDirectory(folder)) {
            throw new IllegalStateException(folder + " does not exist; build all modules: mvn verify -DskipTests");
        }
        return folder;
    }

    /** The main Java files of one module, without {@code package-info.java}. */
    static List<Path> mainJava(String module) {
        return files(HOME.resolve(module).resolve("src/main/java"), ".java").stream()
                .filter(file -> !file.endsWith("package-info.java"))
                .toList();
    }

    /** The Lua files of all modules. */
    static List<Path> lua() {
        return NAMES.stream()
                .flatMap(module -> files(HOME.resolve(module).resolve("src/main/resources"), ".lua").stream())
                .toList();
    }

    /** Every Java file of these modules, of main code and of tests. */
    static List<Path> java() {
        return Stream.concat(NAMES.stream(), TESTS.stream())
                .flatMap(module -> files(HOME.resolve(module).resolve("src"), ".java").stream())
                .toList();
    }

    /** The README, the contributor guide, and all Markdown files of the guides. */
    static List<Path> guides() {
        List<Path> guides = new ArrayList<>(files(HOME.resolve("docs"), ".md"));
        guides.add(HOME.resolve("README.md"));
        guides.add(HOME.resolve("CONTRIBUTING.md"));
        return guides;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path from the root of the checkout, with slashes. */
    static String relative(Path file) {
        return HOME.relativize(file).toString().replace('\\', '/');
    }

    /** The lines of a list beside this class that are neither empty nor a comment. */
    static List<String> list(String name) {
        return read(Path.of("src/test/resources/io/headgate/architecture").resolve(name))
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static List<Path> files(Path folder, String ending) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
