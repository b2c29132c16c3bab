package io.headgate.spring.web.internal;

import io.headgate.config.ConfigException;
import io.headgate.spring.web.WebProperties;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Rejects a server that replaces the address of the peer by the first entry of a forwarding field, which the client may have sent. Tomcat
 * finds the client from the end of the field, and Netty also knows the address of the connection.
 */
public final class ServerForwarding {

    private static final String STRATEGY = "server.forward-headers-strategy";

    private ServerForwarding() {}

    /**
     * Fails the start if clients could choose the address by which routes count them.
     *
     * @throws ConfigException if the strategy is {@code native}, and the server takes the first entry and no number of proxies is trusted,
     *     or the server takes the last entries and a number of proxies is trusted
     */
    public static void requireSafe(ApplicationContext context, WebProperties properties) {
        if (properties.routes().isEmpty() || !isNative(context.getEnvironment())) {
            return;
        }
        boolean number = properties.trustedProxies().stream().anyMatch(proxies -> proxies.matches("[0-9]+"));
        Stream.of(context.getBeanDefinitionNames())
                .map(name -> context.getType(name, false))
                .filter(server -> number ? isServer(server, "Tomcat") : isServer(server, "Jetty", "Undertow"))
                .findFirst()
                .ifPresent(server -> {
                    // Tomcat removes the entries of its own proxies from the end of the field, so that a number counts
                    // others.
                    String problem = STRATEGY + ": must be none or framework with this server, as with native"
                            + " a client can choose the address by which it is counted. It is native by default on"
                            + " Kubernetes and other cloud platforms.";
                    throw new ConfigException(List.of(problem));
                });
    }

    private static boolean isNative(Environment environment) {
        String strategy = environment.getProperty(STRATEGY);
        if (strategy != null) {
            return strategy.equalsIgnoreCase("native");
        }
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform != null && platform.isUsingForwardHeaders();
    }

    /** The types of factories of servers differ between Spring Boot 3 and 4 in their packages. */
    private static boolean isServer(@Nullable Class<?> bean, String... servers) {
        String name = bean == null ? "" : bean.getSimpleName();
        return name.endsWith("WebServerFactory") && Stream.of(servers).anyMatch(name::contains);
    }
}
