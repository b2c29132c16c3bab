package io.headgate.config.internal.files;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.Includes;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Variables;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads files and all that they include, once. Each file is included once; so a cycle is an error, too. Not safe for use by several threads.
 */
public final class LocalFiles {

    /** The maximum number of files, together with those that they include. */
    public static final int MAX_FILES = 1000;

    /** The maximum number of characters of all files together. */
    public static final int MAX_CHARACTERS = 16 << 20;

    /** The maximum number of includes from a file to the last one that it leads to. */
    public static final int MAX_DEPTH = 8;

    private final Map<String, String> environment;
    private final Map<Path, List<String>> chains = new HashMap<>();
    private final List<LocalFile> files = new ArrayList<>();
    private final List<Path> included = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private final Map<String, References> known;
    private final Map<String, References> references = new HashMap<>();
    private long characters;
    private int count;

    /** Creates a reader with the variables of the environment. */
    public LocalFiles(Map<String, String> environment) {
        this(environment, Map.of());
    }

    /**
     * Creates a reader that does not parse texts again.
     *
     * @param known the references of an earlier read with the same environment
     */
    LocalFiles(Map<String, String> environment, Map<String, References> known) {
        this.environment = environment;
        this.known = known;
    }

    /** The variables and includes of a text. */
    record References(Set<String> names, List<Includes.Include> includes) {}

    /**
     * What was read.
     *
     * @param files the files, each before those that it includes
     * @param names the names of their variables, in alphabetical order
     * @param variables the values of those that are set
     */
    public record Content(List<LocalFile> files, Set<String> names, Map<String, String> variables) {}

    /**
     * Reads files.
     *
     * @param roots the paths of the files with their names, which are paths, too; includes are relative to the names
     * @throws ConfigException if a file cannot be read, or an include is wrong
     */
    public Content read(Map<Path, String> roots) {
        count = roots.size();
        roots.forEach((path, name) -> chains.put(identity(path), List.of(name)));
        roots.forEach((path, name) -> add(text(path, name), List.of(name)));
        Map<String, String> variables = new TreeMap<>();
        names.stream().filter(environment::containsKey).forEach(name -> variables.put(name, environment.get(name)));
        return new Content(List.copyOf(files), names, variables);
    }

    /** Returns the paths that were included so far, also those that could not be read. */
    public List<Path> included() {
        return List.copyOf(included);
    }

    /** Returns the references of the texts of this read, by the digests of the texts. A text that cannot have any is left out. */
    Map<String, References> references() {
        return Map.copyOf(references);
    }

    private String text(Path path, String name) {
        String text = SourceText.read(path, new Problems(name));
        characters += text.length();
        if (characters > MAX_CHARACTERS) {
            throw new Problems(name)
                    .stop("is one file too many: together, all files have more than " + MAX_CHARACTERS + " characters");
        }
        return text;
    }

    /**
     * Adds a file, and those that it includes.
     *
     * @param chain the names from a root to this file
     */
    private void add(String text, List<String> chain) {
        int last = chain.size() - 1;
        String name = chain.get(last);
        files.add(new LocalFile(name, text, last == 0 ? Optional.empty() : Optional.of(chain.get(last - 1))));
        for (Includes.Include include : includes(text, name)) {
            include(include, chain);
        }
    }

    /** Returns the includes of a file, and notes its variables. A file with errors has none, as they are reported later. */
    private List<Includes.Include> includes(String text, String name) {
        if (!RemoteText.mayRefer(text)) {
            return List.of();
        }
        String digest = digest(text);
        References found = known.get(digest);
        if (found == null) {
            found = references(text, name);
        }
        references.put(digest, found);
        names.addAll(found.names);
        return found.includes;
    }

    private References references(String text, String name) {
        Problems later = new Problems(name);
        try {
            Yaml root = YamlReader.read(text, Includes.POLICIES, later);
            Variables variables = Variables.of(environment);
            variables.replaced(root, later);
            return new References(Set.copyOf(variables.used()), Includes.read(root, later));
        } catch (ConfigException e) {
            return new References(Set.of(), List.of());
        }
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
    }

    private void include(Includes.Include include, List<String> chain) {
        String including = chain.get(chain.size() - 1);
        Problems problems = new Problems(including);
        Path path = resolved(including, include, problems);
        List<String> longer = new ArrayList<>(chain);
        longer.add(path.toString());
        String shown = String.join(" -> ", longer);
        if (longer.size() > MAX_DEPTH + 1) {
            throw problems.stop(include.where(), "is deeper than " + MAX_DEPTH + " includes: " + shown);
        }
        if (count >= MAX_FILES) {
            throw problems.stop(include.where(), "is one more than " + MAX_FILES + " files: " + shown);
        }
        count++;
        included.add(path);
        List<String> before = chains.putIfAbsent(identity(path), longer);
        if (before != null) {
            String first = before.get(before.size() - 1);
            throw problems.stop(
                    include.where(),
                    chain.contains(first)
                            ? "is a cycle: " + shown + "; remove one of these includes"
                            : "is read twice: " + shown + ", and "
                                    + (before.size() == 1 ? first + " itself" : String.join(" -> ", before))
                                    + "; a file is read once, so remove one of them");
        }
        add(includedText(path, include, shown, problems), longer);
    }

    private static Path resolved(String including, Includes.Include include, Problems problems) {
        try {
            return Path.of(including).resolveSibling(include.path()).normalize();
        } catch (InvalidPathException e) {
            throw problems.stop(include.where(), "is no path: " + e.getMessage());
        }
    }

    private String includedText(Path path, Includes.Include include, String shown, Problems problems) {
        // A read from a pipe might never return.
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw problems.stop(
                    include.where(), path + ": is a directory, a pipe or a device; include files: " + shown);
        }
        try {
            return text(path, path.toString());
        } catch (ConfigException e) {
            throw problems.stop(include.where(), e.problems().get(0) + "; included: " + shown);
        }
    }

    /** Returns the same path for all links to a file. */
    private static Path identity(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }
}
