package io.headgate.config;

import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    private static final String POLICIES = "policies";

    private PolicyFile() {}

    /**
     * Reads the policies of a file in UTF-8.
     *
     * @throws ConfigException if the file cannot be read or has errors; it lists the first 20 of them
     */
    public static Policies read(Path file) {
        Problems problems = new Problems(file.toString());
        return policies(SourceText.read(file, problems), problems);
    }

    /**
     * Reads the policies of a text.
     *
     * @param yaml the text, of at most 1 MiB in UTF-8
     * @param sourceName the name of the source; errors begin with it
     * @throws ConfigException if the text has errors; it lists the first 20 of them
     */
    public static Policies parse(String yaml, String sourceName) {
        Problems problems = new Problems(sourceName);
        return policies(SourceText.bounded(yaml, problems), problems);
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
        return policies(new Yaml.Mapping(entry.key(), Map.of(POLICIES, entry)), problems);
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

    private static Policies policies(String text, Problems problems) {
        SourceText.requireCharactersOfYaml(text, problems);
        return policies(YamlReader.read(text, POLICIES, problems), problems);
    }

    private static Policies policies(Yaml root, Problems problems) {
        PolicyReader.Read read = new PolicyReader(problems).policies(root);
        problems.throwIfAny();
        return Policies.of(read.policies(), read.inFlight());
    }
}
