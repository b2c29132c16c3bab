package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests an application whose Actuator has a port of its own, and a route for all paths. */
class ManagementPortTest {

    /** Tests have Tomcat and Netty, and on Spring Boot 4 both would configure the server of management. */
    private static final String NETTY_ONLY = "spring.autoconfigure.exclude=org.springframework.boot.tomcat.autoconfigure"
            + ".actuate.web.server.TomcatReactiveManagementContextAutoConfiguration";

    @Test
    void probes_on_the_port_of_management_are_not_limited() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = ForwardedAddressTest.start(
                "management.server.port=0", "management.health.redis.enabled=false", NETTY_ONLY)) {
            for (int i = 0; i < 3; i++) {
                assertThat(ForwardedAddressTest.status(context, "local.management.port", "/actuator/health", "x"))
                        .isEqualTo(200);
            }
            assertThat(ForwardedAddressTest.status(context, "local.server.port", "/", "x")).isEqualTo(200);
            assertThat(ForwardedAddressTest.status(context, "local.server.port", "/", "x")).isEqualTo(429);
        }
    }
}
