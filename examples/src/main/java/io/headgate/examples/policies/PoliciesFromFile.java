package io.headgate.examples.policies;

import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import java.nio.file.Path;

/** Policies from a YAML file instead of from code. */
public final class PoliciesFromFile {

    private PoliciesFromFile() {}

    /** Reads the file, and requests one permit of its policy. */
    public static void main(String[] args) {
        Path file = Path.of(args.length > 0 ? args[0] : "examples/policies.yaml");
        Policies policies = PolicyFile.read(file);
        try (LimitEngine limits = InMemoryLimitEngine.create()) {
            Limiter api = limits.limiter(policies.get("api"));
            System.out.println(api.tryAcquire("alice"));
        }
    }
}
