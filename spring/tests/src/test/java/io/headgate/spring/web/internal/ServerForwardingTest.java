package io.headgate.spring.web.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headgate.spring.web.WebProperties;
import io.headgate.config.ConfigException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests with which servers an application does not start, as clients could choose their address. */
class ServerForwardingTest {

    private static final String NATIVE = "server.forward-headers-strategy=native";
    private static final String KUBERNETES = "spring.main.cloud-platform=kubernetes";
    private static final String ROUTE = "headgate.web.routes[0].policy=api";

    private static class JettyServletWebServerFactory {}

    private static class TomcatServletWebServerFactory {}

    private static class NettyReactiveWebServerFactory {}

    @ParameterizedTest
    @CsvSource({
        "Jetty,  native,     none, true",
        "Jetty,  kubernetes, none, true",
        "Jetty,  native,     10.0.7.0/28, true",
        "Jetty,  native,     2,    false",
        "Jetty,  none,       none, false",
        "Tomcat, native,     none, false",
        "Tomcat, native,     10.0.7.0/28, false",
        "Tomcat, native,     2,    true",
        "Netty,  native,     none, false",
    })
    void a_server_fails_the_start_if_clients_could_choose_their_address(
            String server, String strategy, String trusted, boolean fails) {
        Class<?> factory = switch (server) {
            case "Jetty" -> JettyServletWebServerFactory.class;
            case "Tomcat" -> TomcatServletWebServerFactory.class;
            default -> NettyReactiveWebServerFactory.class;
        };
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withPropertyValues(ROUTE, "headgate.web.trusted-proxies=" + (trusted.equals("none") ? "" : trusted))
                .withPropertyValues(
                        switch (strategy) {
                            case "native" -> NATIVE;
                            case "kubernetes" -> KUBERNETES;
                            default -> "server.forward-headers-strategy=none";
                        });
        bean(application, factory).run(context -> {
            WebProperties properties =
                    Binder.get(context.getEnvironment()).bind("headgate.web", WebProperties.class).get();
            Throwable failure = catchThrowable(() -> ServerForwarding.requireSafe(context, properties));
            if (fails) {
                assertThat(failure)
                        .isInstanceOf(ConfigException.class)
                        .hasMessageStartingWith("server.forward-headers-strategy: must be none or framework");
            } else {
                assertThat(failure).isNull();
            }
        });
    }

    private static <T> ApplicationContextRunner bean(ApplicationContextRunner application, Class<T> type) {
        return application.withBean(type);
    }
}
