package io.headgate.config.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyDocument.Text;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import java.util.List;
import java.util.Optional;

/** Policies for tests. */
final class PolicyTexts {

    private PolicyTexts() {}

    static Text text(long permits) {
        return new Text("api.yaml", """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits));
    }

    static PolicyUpdate update(Optional<String> replaces, Text... texts) {
        return new PolicyUpdate(List.of(texts), replaces, "alice", "test");
    }

    /** Replaces the current version, and returns the new one. */
    static String apply(ConsulPolicyStore store, Text... texts) {
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        PolicyUpdate.Result result = store.apply(update(current, texts));
        assertThat(result.applied()).isTrue();
        return result.current().orElseThrow().version();
    }
}
