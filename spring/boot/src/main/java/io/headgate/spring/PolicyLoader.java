package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicySource;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;

/** Loads the policies of the application: those of {@code headgate.policies-from} and all others. */
final class PolicyLoader {

    private static final String PROPERTY = "headgate.policies-from";

    private final HeadgateProperties properties;
    private final HeadgateEnvironment environment;
    private final EngineSelection engines;
    private final ResourceLoader resources;
    private final EnvironmentChanges changes;

    PolicyLoader(
            HeadgateProperties properties,
            HeadgateEnvironment environment,
            EngineSelection engines,
            ResourceLoader resources,
            EnvironmentChanges changes) {
        this.properties = properties;
        this.environment = environment;
        this.engines = engines;
        this.resources = resources;
        this.changes = changes;
    }

    /**
     * Loads the policies.
     *
     * @throws ConfigException if a policy is wrong, two have the same name, or policies cannot be read
     */
    LoadedPolicies load(List<Policy> beans, List<InFlightPolicy> inFlightBeans) {
        String from = properties.policiesFrom();
        Policies none = Policies.of(List.of());
        Policies ofProperties = PoliciesOfApplication.ofProperties(environment);
        if (from == null) {
            return ofProperties(ofProperties, none, beans, inFlightBeans);
        }
        if (!PolicyStores.isStore(from) && !from.startsWith(ResourceUtils.FILE_URL_PREFIX)) {
            Policies loaded = PoliciesOfApplication.read(resources.getResource(from));
            return ofProperties(ofProperties, loaded, beans, inFlightBeans);
        }
        EngineSelection.PolicySourceInUse opened = open(from);
        boolean loaded = false;
        try {
            LoadedPolicies.Watched watched =
                    new LoadedPolicies.Watched(opened.source(), opened.source().read(), opened.closing());
            Policies fixed = PoliciesOfApplication.of(ofProperties, none, beans, inFlightBeans);
            Policies all =
                    PoliciesOfApplication.of(ofProperties, watched.first().policies(), beans, inFlightBeans);
            loaded = true;
            return new LoadedPolicies(all, fixed, Optional.of(watched));
        } catch (LinkageError e) {
            throw PolicyStores.conflict(from, e);
        } finally {
            if (!loaded) {
                opened.source().close();
                opened.closing().run();
            }
        }
    }

    /**
     * Returns policies of properties, which may change if there is Spring Cloud.
     *
     * @param loaded the policies of a file that does not change
     */
    private LoadedPolicies ofProperties(
            Policies ofProperties, Policies loaded, List<Policy> beans, List<InFlightPolicy> inFlightBeans) {
        Policies all = PoliciesOfApplication.of(ofProperties, loaded, beans, inFlightBeans);
        if (!EnvironmentChanges.arePossible() || environment.policies().isEmpty()) {
            return new LoadedPolicies(all, all, Optional.empty());
        }
        Policies fixed = PoliciesOfApplication.of(Policies.of(List.of()), loaded, beans, inFlightBeans);
        PolicySource source = new EnvironmentPolicySource(environment, changes);
        return new LoadedPolicies(all, fixed, Optional.of(new LoadedPolicies.Watched(source, source.read(), () -> {})));
    }

    private EngineSelection.PolicySourceInUse open(String from) {
        try {
            return PolicyStores.isStore(from)
                    ? PolicyStores.open(from, engines, environment)
                    : new EngineSelection.PolicySourceInUse(file(from), () -> {});
        } catch (LinkageError e) {
            throw PolicyStores.conflict(from, e);
        }
    }

    private PolicySource file(String from) {
        try {
            return FilePolicySource.of(resources.getResource(from).getFile().toPath());
        } catch (IOException e) {
            throw new ConfigException(List.of(PROPERTY + ": cannot read " + from + ": " + e.getMessage()));
        }
    }
}
