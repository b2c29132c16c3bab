package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.config.consul.ConsulPolicyStore;
import io.headgate.config.consul.ConsulSettings;
import io.headgate.testkit.consul.ConsulStandIn;
import io.headgate.testkit.consul.ConsulToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Policies in the stand-in of Consul, and the settings of both stores. */
@Timeout(120)
class ConsulPoliciesIT {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void policies_in_consul_are_applied_and_reported() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "a-token\n");
        try (ConsulStandIn consul = ConsulStandIn.start()) {
            consul.allow("a-token", new ConsulToken("hg/config/policies/", true, true));
            try (ConsulPolicyStore store = ConsulPolicyStore.connect(
                    ConsulSettings.of(consul.url()).withToken("a-token"))) {
                StoredPolicies.areApplied(
                        store,
                        "headgate.policies-from=consul",
                        "headgate.consul.url=" + consul.url(),
                        "headgate.consul.token=another",
                        "headgate.consul.token-file=" + token);
            }
        }
    }

    @Test
    void variables_of_the_server_are_no_settings_of_an_application() {
        SystemEnvironmentPropertySource variables = new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of("HEADGATE_ETCD", "https://alice:secret@a:2379", "HEADGATE_CONSUL", "http://a:8500"));
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(StoredPolicies.Application.class)
                .web(WebApplicationType.NONE)
                .initializers(created -> created.getEnvironment()
                        .getPropertySources()
                        .replace(variables.getName(), variables))
                .run()) {
            assertThat(context.getBean(PolicyRegistry.class).policies().names()).isEmpty();
        }
    }

    @Test
    void properties_do_not_change_beside_a_store() {
        Map<String, Object> changing = new ConcurrentHashMap<>(Map.of(
                "headgate.policies.own.rules.all.fixed-window.permits", "2",
                "headgate.policies.own.rules.all.fixed-window.window", "1h"));
        try (ConsulStandIn consul = ConsulStandIn.start();
                ConsulPolicyStore store = ConsulPolicyStore.connect(ConsulSettings.of(consul.url()))) {
            StoredPolicies.apply(store, StoredPolicies.yaml("2"));
            try (ConfigurableApplicationContext context = StoredPolicies.run(
                    changing, "headgate.policies-from=consul", "headgate.consul.url=" + consul.url())) {
                PolicyRegistry policies = context.getBean(PolicyRegistry.class);
                assertThat(policies.policies().names()).containsExactly("own", "api");
                changing.put("headgate.policies.own.rules.all.fixed-window.permits", "9");
                context.publishEvent(new EnvironmentChangeEvent(context, Set.of()));
                assertThat(policies.policies().get("own").rules().get(0).limit().permits()).isEqualTo(2);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            etcd   | headgate.etcd.key-prefix=x                          | headgate.policies-from is etcd, but headgate.etcd.url is not set.
            etcd   | headgate.etcd.url=localhost                         | headgate.etcd.url: the URL of etcd must be such as
            etcd   | headgate.etcd.url=http://a,headgate.etcd.user=u     | headgate.etcd.user: needs headgate.etcd.password
            etcd   | headgate.etcd.url=http://a,headgate.etcd.ca=x       | headgate.etcd.ca: certificates are for TLS
            etcd   | headgate.etcd.url=https://a,headgate.etcd.ca=x      | headgate.etcd.ca: trustedCertificates must be
            etcd   | headgate.etcd.url=https://a,headgate.etcd.client-key=x | headgate.etcd.client-key: needs headgate.etcd.client-certificate
            etcd   | headgate.etcd.url=http://a,headgate.etcd.key-prefix=- | headgate.etcd.key-prefix:
            consul | headgate.consul.key-prefix=x                        | headgate.policies-from is consul, but headgate.consul.url is not set.
            consul | headgate.consul.url=http://u:p@a                    | headgate.consul.url: the URL of Consul must be such as
            consul | headgate.consul.url=http://a,headgate.consul.token=x y | headgate.consul.token: the token of Consul must have
            consul | headgate.consul.url=http://a,headgate.consul.token-file=/no/such | headgate.consul.token-file: must be a readable file
            """)
    void a_wrong_setting_fails_the_start_with_the_name_of_its_property(String from, String properties, String problem) {
        String[] given = ("headgate.policies-from=" + from + "," + properties).split(",", -1);
        assertThatThrownBy(() -> StoredPolicies.run(given))
                .rootCause()
                .isInstanceOfAny(ConfigException.class, HeadgateConfigurationException.class)
                .hasMessageContaining(problem);
    }
}
