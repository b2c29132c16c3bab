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
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;

/** Loads the policies of the application: those of {@code headgate.policies-from} and all others. */
final class PolicyLoader {

    private static final String REDIS = "redis";
    private static final String PROPERTY = "headgate.policies-from";

    private final HeadgateEnvironment environment;
    private final EngineSelection engines;
    private final ResourceLoader resources;

    PolicyLoader(HeadgateEnvironment environment, EngineSelection engines, ResourceLoader resources) {
        this.environment = environment;
        this.engines = engines;
        this.resources = resources;
    }

    /**
     * Loads the policies.
     *
     * @param from the value of {@code headgate.policies-from}, or null
     * @throws ConfigException if a policy is wrong, two have the same name, or policies cannot be read
     */
    PoliciesInUse load(@Nullable String from, List<Policy> beans, List<InFlightPolicy> inFlightBeans) {
        Policies none = Policies.of(List.of());
        if (from == null) {
            Policies fixed = PoliciesOfApplication.of(environment, none, beans, inFlightBeans);
            return new PoliciesInUse(fixed, fixed, Optional.empty());
        }
        if (!from.equals(REDIS) && !from.startsWith(ResourceUtils.FILE_URL_PREFIX)) {
            Policies loaded = PoliciesOfApplication.read(resources.getResource(from));
            Policies fixed = PoliciesOfApplication.of(environment, loaded, beans, inFlightBeans);
            return new PoliciesInUse(fixed, fixed, Optional.empty());
        }
        EngineSelection.PolicySourceInUse opened =
                from.equals(REDIS) ? engines.policies() : new EngineSelection.PolicySourceInUse(file(from), () -> {});
        boolean loaded = false;
        try {
            PoliciesInUse.Watched watched =
                    new PoliciesInUse.Watched(opened.source(), opened.source().read(), opened.closing());
            Policies fixed = PoliciesOfApplication.of(environment, none, beans, inFlightBeans);
            Policies all = PoliciesOfApplication.of(environment, watched.first().policies(), beans, inFlightBeans);
            loaded = true;
            return new PoliciesInUse(all, fixed, Optional.of(watched));
        } finally {
            if (!loaded) {
                opened.source().close();
                opened.closing().run();
            }
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
