package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.Resource;

/** Collects the policies of the application: of properties, of a file and of beans. */
final class PoliciesOfApplication {

    private final Map<String, Policy> policies = new LinkedHashMap<>();
    private final Map<String, InFlightPolicy> inFlight = new LinkedHashMap<>();
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    private PoliciesOfApplication() {}

    /**
     * Returns the policies of {@code headgate.policies}; none if there are none.
     *
     * @throws ConfigException if a policy is wrong
     */
    static Policies ofProperties(HeadgateEnvironment environment) {
        return environment
                .policies()
                .map(given -> PolicyFile.read(given, HeadgateEnvironment.POLICIES_PATH))
                .orElseGet(() -> Policies.of(List.of()));
    }

    /**
     * Returns the policies of all sources.
     *
     * @param ofProperties the policies of {@code headgate.policies}
     * @param loaded the policies of {@code headgate.policies-from}
     * @throws ConfigException if two have the same name
     */
    static Policies of(Policies ofProperties, Policies loaded, List<Policy> beans, List<InFlightPolicy> inFlightBeans) {
        PoliciesOfApplication all = new PoliciesOfApplication();
        all.add(ofProperties, HeadgateEnvironment.POLICIES_PATH);
        all.add(loaded, "headgate.policies-from");
        beans.forEach(policy -> all.add(policy, "a bean"));
        inFlightBeans.forEach(policy -> all.add(policy, "a bean"));
        if (!all.problems.isEmpty()) {
            throw new ConfigException(all.problems);
        }
        return Policies.of(all.policies.values(), all.inFlight.values());
    }

    /**
     * Reads a file that does not change.
     *
     * @throws ConfigException if a policy is wrong, or the file cannot be read
     */
    static Policies read(Resource file) {
        try {
            return PolicyFile.parse(
                    new String(file.getContentAsByteArray(), StandardCharsets.UTF_8), file.getDescription());
        } catch (IOException e) {
            String problem = "headgate.policies-from: cannot read " + file.getDescription() + ": " + e.getMessage();
            throw new ConfigException(List.of(problem));
        }
    }

    private void add(Policies given, String source) {
        given.forEach(policy -> add(policy, source));
        given.inFlight().forEach(policy -> add(policy, source));
    }

    private void add(Policy policy, String source) {
        if (isNew(policy.name(), source)) {
            policies.put(policy.name(), policy);
        }
    }

    private void add(InFlightPolicy policy, String source) {
        if (isNew(policy.name(), source)) {
            inFlight.put(policy.name(), policy);
        }
    }

    private boolean isNew(String name, String source) {
        String first = sources.putIfAbsent(name, source);
        if (first != null) {
            problems.add("two policies are named " + name + ": one of " + first + ", one of " + source
                    + "; rename or remove one");
        }
        return first == null;
    }
}
