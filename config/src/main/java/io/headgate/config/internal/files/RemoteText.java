package io.headgate.config.internal.files;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.Includes;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.SourceText;
import io.headgate.config.internal.yaml.Variables;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.config.internal.yaml.YamlReader;

/** Checks that a text of policies means the same on each machine: it has no variables and no includes. */
public final class RemoteText {

    private RemoteText() {}

    /** Whether a text may have variables or includes, which takes no parser. A backslash may escape a part of them. */
    static boolean mayRefer(String text) {
        return text.contains("${") || text.contains(Includes.KEY) || text.indexOf('\\') >= 0;
    }

    /**
     * Checks a text, which may have other errors.
     *
     * @param name the name with which problems begin
     * @throws ConfigException if the text has variables or includes
     */
    public static void requireNoReferences(String yaml, String name) {
        if (!mayRefer(yaml)) {
            return;
        }
        Yaml root;
        try {
            Problems others = new Problems(name);
            root = YamlReader.read(SourceText.bounded(yaml, others), Includes.POLICIES, others);
        } catch (ConfigException e) {
            return; // no reader accepts it, with or without variables
        }
        Problems problems = new Problems(name);
        Variables.forbidden().replaced(root, problems);
        if (root instanceof Yaml.Mapping mapping && mapping.entries().containsKey(Includes.KEY)) {
            Includes.refuse(mapping.entries().get(Includes.KEY), problems);
        }
        problems.throwIfAny();
    }
}
