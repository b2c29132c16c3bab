package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DelayWarningTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # capacity, leak and period in milliseconds
            4    | 3 | 1000     |
            11   | 1 | 100      |
            0    | 1 | 1000     |
            12   | 1 | 100      | a request may have to wait for 1.1 s; a response to a proxy is delayed for 1 s by default; let the proxy send hold=1100ms, and give
            5    | 3 | 1000     | a request may have to wait for 1.333334 s; a response to a proxy is delayed for 1 s by default; let the proxy send hold=1334ms, and give
            5    | 1 | 1000     | a request may have to wait for 4 s; a response to a proxy is delayed for 1 s by default; let the proxy send hold=4000ms, and give
            6    | 1 | 1000     | a request may have to wait for 5 s; a response to a proxy is delayed for 4 s at most; a request with a longer wait proceeds early
            1000000000 | 1000000000 | 86400000 | a request may have to wait for 86399.999914 s; a
            """)
    void a_shaper_whose_delay_can_exceed_the_default_maximum_has_a_warning(
            long capacity, long leak, long periodMillis, @Nullable String warning) {
        LeakyBucket bucket = Limit.leakyBucket(capacity, leak, Duration.ofMillis(periodMillis));
        Policy policy = Policy.of("api", bucket.shaper());
        if (warning == null) {
            assertThat(DelayWarning.of(policy)).isEmpty();
        } else {
            assertThat(DelayWarning.of(policy)).singleElement().asString().startsWith("policy api: limit: " + warning);
        }
        assertThat(DelayWarning.of(Policy.of("api", bucket))).as("no shaper").isEmpty();
    }

    @Test
    void a_shadow_rule_delays_no_request() {
        Rule rule =
                Rule.of("slow", Limit.leakyBucket(9, 1, Duration.ofSeconds(1)).shaper());
        assertThat(DelayWarning.of(Policy.named("api").rule(rule).build())).hasSize(1);
        assertThat(DelayWarning.of(Policy.named("api").rule(rule.inShadow()).build()))
                .isEmpty();
    }
}
