package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Tests what Spring Boot prints if the application cannot start. */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTest {

    @Test
    void a_missing_redis_is_explained(CapturedOutput output) {
        start("--headgate.engine=redis");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("headgate.engine is redis, but the application configures no Redis.")
                .contains("Action:")
                .contains("Set headgate.redis.url, or spring.data.redis.url or host");
    }

    @Test
    void wrong_policies_and_settings_are_listed_with_their_places(CapturedOutput output) {
        start(
                "--headgate.policies.api.rules.all.fixed-window.permits=-1",
                "--headgate.policies.api.rules.all.fixed-window.windw=1s");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("    headgate.policies.api.rules.all.fixed-window.permits (\"headgate.policies.api.rules.all.fixed-window"
                        + ".permits\" from property source \"commandLineArgs\"): must be from 0 to 1000000000, was -1")
                .contains("    headgate.policies.api.rules.all.fixed-window.windw (")
                .contains("did you mean window?");
    }

    @Test
    void an_unknown_property_is_listed(CapturedOutput output) {
        start("--headgate.polices.api=x");

        assertThat(output).contains("headgate.polices (").contains("unknown property; did you mean policies? Allowed: consul, enabled, engine");
    }

    @Test
    void a_missing_file_of_policies_is_explained(CapturedOutput output) {
        start("--headgate.policies-from=classpath:no-such.yaml");

        assertThat(output).contains("headgate.policies-from: cannot read class path resource [no-such.yaml]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd", "consul"})
    void a_missing_client_of_a_store_is_explained(String store, CapturedOutput output) {
        start("--headgate.policies-from=" + store, "--headgate." + store + ".url=http://127.0.0.1:1");

        assertThat(output)
                .contains("headgate.policies-from is " + store + ", but headgate-config-" + store + " is not on the class path.")
                .contains("Add the dependency io.headgate:headgate-config-" + store + ", or read the policies from a file");
    }

    private static void start(String... arguments) {
        assertThatThrownBy(() -> new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(arguments))
                .isInstanceOf(RuntimeException.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HeadgateAutoConfiguration.class)
    static class Application {}
}
