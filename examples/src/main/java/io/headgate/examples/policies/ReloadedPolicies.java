package io.headgate.examples.policies;

import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyReloader;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import java.nio.file.Path;

/** Policies from a YAML file that may change while the program runs. */
public final class ReloadedPolicies {

    private ReloadedPolicies() {}

    /** Reads the file, applies its changes, and requests one permit of its policy. */
    public static void main(String[] args) {
        Path file = Path.of(args.length > 0 ? args[0] : "examples/policies.yaml");
        try (LimitEngine limits = InMemoryLimitEngine.create();
                PolicyReloader policies = PolicyReloader.start(limits, FilePolicySource.of(file))) {
            Decision decision = policies.registry().limiter("api").tryAcquire("alice");
            System.out.println(decision);
        }
    }
}
