package io.headgate.config;

import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;
import java.nio.file.Path;

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

    private static Policies policies(String text, Problems problems) {
        SourceText.requireCharactersOfYaml(text, problems);
        Yaml root = YamlReader.read(text, "policies", problems);
        PolicyReader.Read read = new PolicyReader(problems).policies(root);
        problems.throwIfAny();
        return Policies.of(read.policies(), read.inFlight());
    }
}
