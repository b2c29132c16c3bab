package io.headgate.config;

import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import java.nio.file.Path;

/**
 * Reads policies that are written in YAML.
 *
 * <pre>{@code
 * Policies policies = PolicyFile.read(Path.of("policies.yaml"));
 * Policy checkout = policies.get("checkout");
 * InFlightPolicy exports = policies.inFlight("exports");
 * }</pre>
 *
 * <p>The keys, their ranges and their defaults are in {@code docs/policies.md}.
 */
public final class PolicyFile {

    private PolicyFile() {}

    /**
     * The policies of a file in UTF-8.
     *
     * @throws ConfigException when the file can't be read or anything in it is wrong; it lists every problem
     */
    public static Policies read(Path file) {
        Problems problems = new Problems(file.toString());
        return policies(SourceText.read(file, problems), problems);
    }

    /**
     * The policies of a text.
     *
     * @param yaml the text, of at most 1 MiB in UTF-8
     * @param sourceName where it comes from; errors begin with it
     * @throws ConfigException when anything in it is wrong; it lists every problem
     */
    public static Policies parse(String yaml, String sourceName) {
        Problems problems = new Problems(sourceName);
        return policies(SourceText.bounded(yaml, problems), problems);
    }

    private static Policies policies(String text, Problems problems) {
        SourceText.requireCharactersOfYaml(text, problems);
        Yaml root = YamlReader.read(text, "policies", problems);
        PolicyReader.Read read = new PolicyReader(problems).policies(root);
        problems.throwIfAny();
        return Policies.of(read.policies(), read.inFlight());
    }
}
