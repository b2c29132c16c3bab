package com.example.gateway;

import static io.headgate.spring.gateway.HeadgateFilterFunctions.rateLimit;
import static org.springframework.cloud.gateway.server.mvc.filter.BeforeFilterFunctions.uri;
import static org.springframework.cloud.gateway.server.mvc.handler.GatewayRouterFunctions.route;
import static org.springframework.cloud.gateway.server.mvc.handler.HandlerFunctions.http;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Starts the gateway. Its policy and its route {@code api} are in {@code application.yaml}. */
@SpringBootApplication
public class GatewayApplication {

    /** Starts the gateway, with properties such as {@code --spring.data.redis.url=redis://localhost:6379}. */
    public static void main(String[] args) {
        SpringApplication.run(GatewayApplication.class, args);
    }

    /** A route in Java. A report is expensive: it needs five of the permits that the tenant also uses on the route in YAML. */
    @Bean
    RouterFunction<ServerResponse> reports(@Value("${shop.uri}") String upstream) {
        return route("reports")
                .GET("/reports/{id}", http())
                .before(uri(upstream))
                .filter(rateLimit(limit -> limit.policy("api")
                        .by("tenant", "header(X-Api-Key)", "client-address")
                        .permits("5")))
                .build();
    }
}
