package io.headgate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.FilePolicySource;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.examples.policies.SharedPolicies;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The example of policies in Redis decides by those that were written. */
class SharedPoliciesIT {

    @Test
    void policies_in_redis_are_applied() {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (RedisServer redis = RedisServer.startOwn();
                RedisPolicyStore store = RedisPolicyStore.connect(RedisSettings.of(redis.url()));
                FilePolicySource file = FilePolicySource.of(Path.of("policies.yaml"))) {
            store.apply(new PolicyUpdate(file.read().texts(), Optional.empty(), "test", "test"));
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            SharedPolicies.main(new String[] {redis.url()});
        } finally {
            System.setOut(before);
        }
        assertThat(output.toString(StandardCharsets.UTF_8)).startsWith("allowed at ");
    }
}
