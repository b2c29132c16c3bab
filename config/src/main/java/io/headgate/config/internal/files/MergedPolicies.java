package io.headgate.config.internal.files;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.internal.yaml.Problems;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Merges the policies of several files into one set, and lists the problems of all files together. */
public final class MergedPolicies {

    private final Map<String, LocalFile> files = new HashMap<>();
    private final Map<String, LocalFile> fileOf = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    private MergedPolicies() {}

    /**
     * Reads the policies of all files.
     *
     * @param read reads the policies of one file
     * @throws ConfigException if a file has errors, or two files have a policy with the same name
     */
    public static Policies of(List<LocalFile> files, Function<LocalFile, Policies> read) {
        return new MergedPolicies().merged(files, read);
    }

    private Policies merged(List<LocalFile> all, Function<LocalFile, Policies> read) {
        all.forEach(file -> files.put(file.name(), file));
        int further = 0;
        List<Policies> sets = new ArrayList<>();
        for (LocalFile file : all) {
            try {
                Policies policies = read.apply(file);
                policies.list().forEach(policy -> addName(policy.name(), file));
                policies.inFlight().forEach(policy -> addName(policy.name(), file));
                sets.add(policies);
            } catch (ConfigException e) {
                problems.addAll(e.problems());
                further += e.further();
            }
        }
        if (!problems.isEmpty()) {
            int listed = Math.min(problems.size(), Problems.MAX_LISTED);
            throw new ConfigException(problems.subList(0, listed), further + problems.size() - listed);
        }
        return Policies.merged(sets);
    }

    private void addName(String policy, LocalFile file) {
        LocalFile other = fileOf.putIfAbsent(policy, file);
        if (other != null) {
            problems.add(file.name() + ": policies." + policy + ": is also in " + other.name()
                    + "; a policy is defined once, so remove or rename one of them" + chain(file) + chain(other));
        }
    }

    /** Returns through which files a file is included, for an error. */
    private String chain(LocalFile file) {
        Deque<String> chain = new ArrayDeque<>();
        Optional<LocalFile> at = Optional.of(file);
        while (at.isPresent() && chain.size() <= LocalFiles.MAX_DEPTH + 1) {
            chain.addFirst(at.get().name());
            at = at.get().includedBy().map(files::get);
        }
        return chain.size() == 1 ? "" : "; included: " + String.join(" -> ", chain);
    }
}
