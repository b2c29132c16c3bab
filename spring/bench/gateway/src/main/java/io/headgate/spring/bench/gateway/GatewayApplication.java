package io.headgate.spring.bench.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** A gateway with one route. The active profile selects what limits its requests. */
@SpringBootApplication
public class GatewayApplication {

    private final ApplicationContext context;

    GatewayApplication(ApplicationContext context) {
        this.context = context;
    }

    /** Starts the application, and prints its process, its port, and its filters. */
    public static void main(String[] arguments) {
        SpringApplication.run(GatewayApplication.class, arguments);
    }

    @Bean
    KeyResolver userKey() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        System.out.println("ready " + ProcessHandle.current().pid() + " "
                + event.getWebServer().getPort() + " "
                + String.join(",", context.getBeanNamesForType(WebFilter.class)));
    }
}
