package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One version of the policies of a source, as it was written. It may contain errors.
 *
 * @param version identifies the content: documents of a source with the same version have the same policies
 * @param writtenAt when it was written, by the clock of a source that orders its versions by it, such as Redis; else empty
 * @param texts at least one text in YAML, each with its own policies
 */
public record PolicyDocument(String version, Optional<Instant> writtenAt, List<Text> texts) {

    /**
     * A text with policies.
     *
     * @param name the name with which problems begin, for example the path of a file
     * @param yaml a document as {@link PolicyFile} reads it
     */
    public record Text(String name, String yaml) {}

    /** Checks that there is a text. */
    public PolicyDocument {
        texts = List.copyOf(texts);
        if (texts.isEmpty()) {
            throw new IllegalArgumentException("texts must have at least one element, but has none");
        }
    }

    /** Creates a document of a source whose versions have no order, such as a file. */
    public PolicyDocument(String version, List<Text> texts) {
        this(version, Optional.empty(), texts);
    }

    /**
     * Reads the policies of all texts.
     *
     * @throws ConfigException if a text has errors, or two texts have a policy with the same name
     */
    public Policies policies() {
        List<String> problems = new ArrayList<>();
        int further = 0;
        List<Policy> counted = new ArrayList<>();
        List<InFlightPolicy> inFlight = new ArrayList<>();
        Map<String, String> textOf = new LinkedHashMap<>();
        for (Text text : texts) {
            try {
                Policies read = PolicyFile.parse(text.yaml(), text.name());
                read.list().forEach(policy -> addName(policy.name(), text, textOf, problems));
                read.inFlight().forEach(policy -> addName(policy.name(), text, textOf, problems));
                counted.addAll(read.list());
                inFlight.addAll(read.inFlight());
            } catch (ConfigException e) {
                problems.addAll(e.problems());
                further += e.further();
            }
        }
        if (!problems.isEmpty()) {
            int listed = Math.min(problems.size(), Problems.MAX_LISTED);
            throw new ConfigException(problems.subList(0, listed), further + problems.size() - listed);
        }
        return Policies.of(counted, inFlight);
    }

    private static void addName(String policy, Text text, Map<String, String> textOf, List<String> problems) {
        String other = textOf.putIfAbsent(policy, text.name());
        if (other != null) {
            problems.add(text.name() + ": policies." + policy + ": is also in " + other
                    + "; a policy is defined once, so remove or rename one of them");
        }
    }
}
