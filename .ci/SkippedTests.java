import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Fails the build when it skipped a test that .ci/skipped-tests.txt does not list, when the list is wrong, or when
 * -Pinstalled did not execute a test that it must execute. Maven runs it in each module after its tests; in the last one
 * it prints how many tests were executed and skipped, and why.
 *
 * <p>It reads the reports that Surefire and Failsafe wrote since the build began, so it ignores those of earlier builds.
 */
public final class SkippedTests {

    /** A line of the list. */
    record Line(boolean always, String test, String reason) {}

    /** A class, and why some of its tests were skipped. */
    record Skip(String test, String reason) implements Comparable<Skip> {

        @Override
        public int compareTo(Skip other) {
            int byReason = reason.compareTo(other.reason);
            return byReason != 0 ? byReason : test.compareTo(other.test);
        }

        @Override
        public String toString() {
            return test + " | " + reason;
        }
    }

    private final Map<Skip, Integer> skipped = new TreeMap<>();
    private final Map<String, Integer> executed = new TreeMap<>();

    /**
     * @param args the root folder; when the build began, such as 2026-01-05T00:00:00Z; the run, all or installed; the
     *     folder of the module; the projects of the build as Maven prints them
     */
    public static void main(String[] args) throws IOException, XMLStreamException {
        Path root = Path.of(args[0]);
        boolean installed = args[2].equals("installed");
        String projects = args[4].replace('\\', '/');
        boolean last = projects.endsWith(" @ " + args[3].replace('\\', '/') + "/pom.xml]");

        SkippedTests tests = new SkippedTests();
        tests.readReports(root, Instant.parse(args[1]));
        List<String> problems = tests.problems(root, installed, last ? projects : "");
        if (last || !problems.isEmpty()) {
            tests.print();
        }
        if (!problems.isEmpty()) {
            problems.forEach(problem -> System.out.println("[ERROR] " + problem));
            System.exit(1);
        }
    }

    private void readReports(Path root, Instant since) throws IOException, XMLStreamException {
        for (Path module : folders(root)) {
            for (String kind : List.of("surefire-reports", "failsafe-reports")) {
                for (Path file : files(module.resolve("target").resolve(kind))) {
                    String name = file.getFileName().toString();
                    boolean report = name.startsWith("TEST-") && name.endsWith(".xml");
                    if (report && !Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
                        readReport(file);
                    }
                }
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private void readReport(Path file) throws IOException, XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream in = Files.newInputStream(file)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            String test = "";
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                if (xml.getLocalName().equals("testcase")) {
                    test = topLevel(xml.getAttributeValue(null, "classname"));
                    executed.merge(test, 1, Integer::sum);
                } else if (xml.getLocalName().equals("skipped")) {
                    String reason = xml.getAttributeValue(null, "message");
                    executed.merge(test, -1, Integer::sum);
                    skipped.merge(new Skip(test, oneLine(reason)), 1, Integer::sum);
                }
            }
        }
    }

    /** Returns the class in whose file a nested or a parameterized class is. */
    private static String topLevel(String name) {
        return name.replaceAll("[$\\[(].*", "").strip();
    }

    private static String oneLine(String reason) {
        return reason == null || reason.isBlank()
                ? "(no reason)"
                : reason.strip().replaceAll("\\s+", " ");
    }

    /** Returns what is wrong. Checks that need the whole build run only if the projects are not empty: in the last module. */
    private List<String> problems(Path root, boolean installed, String projects) throws IOException {
        List<String> problems = new ArrayList<>();
        Path list = root.resolve(".ci").resolve("skipped-tests.txt");
        List<Line> lines = lines(list);
        for (Skip skip : skipped.keySet()) {
            List<Line> listed = lines.stream()
                    .filter(line -> line.test.equals(skip.test) && line.reason.equals(skip.reason))
                    .toList();
            if (listed.isEmpty()) {
                problems.add("a test was skipped that " + list + " does not list: " + skip
                        + ". Install what it needs, or add the line: fresh | " + skip);
            } else if (installed && listed.stream().noneMatch(Line::always)) {
                problems.add("-Pinstalled must execute all tests of this class, but some were skipped: " + skip);
            }
        }
        if (!projects.isEmpty()) {
            for (Line line : lines) {
                String module = module(root, line.test);
                boolean built = projects.contains("/" + module + "/pom.xml");
                if (module.isEmpty()) {
                    problems.add(list + " lists a test that does not exist: " + line.test + ". Remove the line");
                } else if (installed && built && !line.always && executed.getOrDefault(line.test, 0) == 0) {
                    problems.add("-Pinstalled must execute this test, but none of the class ran: " + line.test);
                }
            }
            if (installed && executed.values().stream().noneMatch(count -> count > 0)) {
                problems.add("-Pinstalled executed no test");
            }
        }
        return problems;
    }

    private static List<Line> lines(Path list) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (String text : Files.readAllLines(list)) {
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            String[] parts = text.strip().split("\\s*\\|\\s*", 3);
            if (parts.length != 3 || !(parts[0].equals("fresh") || parts[0].equals("always"))) {
                throw new IllegalArgumentException(
                        list + ": a line must be \"fresh | class | reason\" or \"always | class | reason\", but was: "
                                + text);
            }
            lines.add(new Line(parts[0].equals("always"), parts[1], parts[2]));
        }
        return lines;
    }

    /** Returns the folder of the module that has the class among its tests; empty when there is none. */
    private static String module(Path root, String test) throws IOException {
        String source = "src/test/java/" + test.replace('.', '/') + ".java";
        return folders(root).stream()
                .filter(module -> Files.exists(module.resolve(source)))
                .map(module -> root.relativize(module).toString().replace('\\', '/'))
                .findFirst()
                .orElse("");
    }

    /** Returns the folders of all modules, some of which are in the folder of another one. */
    private static List<Path> folders(Path root) throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path folder : files(root)) {
            String name = folder.getFileName().toString();
            if (Files.isDirectory(folder) && !name.equals("src") && !name.equals("target") && !name.startsWith(".")) {
                all.add(folder);
                all.addAll(folders(folder));
            }
        }
        return all;
    }

    private void print() {
        int ran = executed.values().stream().mapToInt(Integer::intValue).sum();
        int left = skipped.values().stream().mapToInt(Integer::intValue).sum();
        System.out.println(
                "[INFO] Tests of this build: " + ran + " executed, " + left + " skipped" + (left == 0 ? "" : ":"));
        skipped.forEach(
                (skip, count) -> System.out.println("[INFO]   " + count + " of " + skip.test + ": " + skip.reason));
    }
}
