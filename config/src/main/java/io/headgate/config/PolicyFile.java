package io.headgate.config;

import io.headgate.config.internal.files.ConsistentFiles;
import io.headgate.config.internal.files.LocalFiles;
import io.headgate.config.internal.files.MergedPolicies;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Variables;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads policies from YAML.
 *
 * <pre>{@code
 * Policies policies = PolicyFile.read(Path.of("policies.yaml"));
 * Policy checkout = policies.get("checkout");
 * InFlightPolicy exports = policies.inFlight("exports");
 * }</pre>
 *
 * <p>{@code docs/policies.md} lists the keys, their ranges and their defaults.
 */
public final class PolicyFile {

    private static final String SCHEMA = "policies.schema.json";

    private PolicyFile() {}

    /**
     * Reads the policies of a file in UTF-8, and of the files that it includes, all of one moment. Replaces variables by those of the environment
     * of the process.
     *
     * @throws ConfigException if the file cannot be read or has errors; it lists the first 20 of them
     */
    public static Policies read(Path file) {
        if (Files.isDirectory(file)) {
            throw new Problems(file.toString()).stop("is a directory");
        }
        LocalFiles.Content read = new ConsistentFiles(file, System.getenv()).read();
        return MergedPolicies.of(read.files(), one -> parseWithIncludes(one.yaml(), one.name(), read.variables()));
    }

    /**
     * Reads the policies of a text. Variables and includes in it are errors, since it need not be of a local file.
     *
     * @param yaml the text, of at most 1 MiB in UTF-8
     * @param sourceName the name of the source; errors begin with it
     * @throws ConfigException if the text has errors; it lists the first 20 of them
     */
    public static Policies parse(String yaml, String sourceName) {
        return parse(yaml, sourceName, Variables.forbidden(), false);
    }

    /**
     * Reads the policies of the text of a local file, with variables. Includes in it are errors, as their files are not read.
     *
     * @param yaml the text, of at most 1 MiB in UTF-8
     * @param sourceName the name of the source; errors begin with it
     * @param variables the values of variables by name
     * @throws ConfigException if the text has errors; it lists the first 20 of them, without the values of variables
     */
    public static Policies parse(String yaml, String sourceName, Map<String, String> variables) {
        return parse(yaml, sourceName, Variables.of(variables), false);
    }

    /**
     * Reads the policies of a text as {@link #parse(String, String, Map)}. It may include other files, which the caller reads, and which
     * this method checks only.
     */
    public static Policies parseWithIncludes(String yaml, String sourceName, Map<String, String> variables) {
        return parse(yaml, sourceName, Variables.of(variables), true);
    }

    private static Policies parse(String yaml, String sourceName, Variables variables, boolean withIncludes) {
        Problems problems = variables.areAllowed() ? Problems.ofLocalFile(sourceName) : new Problems(sourceName);
        String text = SourceText.bounded(yaml, problems);
        SourceText.requireCharactersOfYaml(text, problems);
        Yaml root = YamlReader.read(text, PolicyReader.POLICIES, problems);
        return policies(variables.replaced(root, problems), withIncludes, problems);
    }

    /**
     * Reads policies that another library has parsed, by the same keys as those of a file.
     *
     * @param policies the names of the policies, each with a mapping; must not be empty
     * @param path the path of the mapping, with which the paths in errors begin, for example {@code headgate.policies}
     * @throws ConfigException if a policy is wrong; it lists the first 20 problems, each with the path of its keys and the {@linkplain
     *     ConfigNode#origin origin} of its node
     */
    public static Policies read(ConfigNode.Mapping policies, String path) {
        Problems problems = new Problems("");
        Yaml.Entry entry = entry(policies, path);
        return policies(new Yaml.Mapping(entry.key(), Map.of(PolicyReader.POLICIES, entry)), false, problems);
    }

    /** Returns the JSON Schema of policy files, which editors use to complete and check them. */
    public static String schema() {
        try (InputStream schema = PolicyFile.class.getResourceAsStream(SCHEMA)) {
            return new String(Objects.requireNonNull(schema, SCHEMA).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Yaml.Entry entry(ConfigNode node, String path) {
        Where where = Where.ofProperty(path, node.origin());
        return new Yaml.Entry(where, yaml(where, node));
    }

    private static Yaml yaml(Where where, ConfigNode node) {
        if (node instanceof ConfigNode.Mapping mapping) {
            Map<String, Yaml.Entry> entries = new LinkedHashMap<>();
            mapping.entries().forEach((key, value) -> entries.put(key, entry(value, Where.below(where.path(), key))));
            return new Yaml.Mapping(where, entries);
        }
        if (node instanceof ConfigNode.Items list) {
            List<Yaml> items = new ArrayList<>();
            for (ConfigNode item : list.items()) {
                items.add(entry(item, where.path() + "[" + items.size() + "]").value());
            }
            return new Yaml.Sequence(where, items);
        }
        String text = ((ConfigNode.Text) node).text();
        return text.isEmpty() ? new Yaml.Empty(where) : new Yaml.Scalar(where, text);
    }

    private static Policies policies(Yaml root, boolean withIncludes, Problems problems) {
        PolicyReader.Read read = new PolicyReader(problems).policies(root, withIncludes);
        problems.throwIfAny();
        return Policies.of(read.policies(), read.inFlight(), read.written());
    }
}
