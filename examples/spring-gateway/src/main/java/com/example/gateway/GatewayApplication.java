package com.example.gateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** Starts the gateway. Its routes and limits are in {@code application.yaml}; no class of Headgate appears in its code. */
@SpringBootApplication
public class GatewayApplication {

    /** Starts the gateway, with properties such as {@code --spring.data.redis.url=redis://localhost:6379}. */
    public static void main(String[] args) {
        SpringApplication.run(GatewayApplication.class, args);
    }

    /** The key by which {@code RequestRateLimiter} counts. Without one, the gateway rejects the request with status 403. */
    @Bean
    KeyResolver apiKey() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Api-Key"));
    }
}
