package io.headgate.spring.web.reactive;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.UrlBasedCorsConfigurationSource;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** An application that writes denied responses itself, and whose CORS fields Spring Security sends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({SingleThreadNetty.class, HandlingApplication.Pages.class, HandlingApplication.Denials.class})
class HandlingApplication {

    @Bean
    Policy two() {
        return Policy.of("two", Limit.slidingWindow(2, Duration.ofHours(1)), "key");
    }

    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
        return http.authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                .cors(cors -> {})
                .build();
    }

    @Bean
    CorsConfigurationSource corsConfigurationSource() {
        CorsConfiguration cors = new CorsConfiguration();
        cors.setAllowedOrigins(List.of("https://page.example"));
        cors.setAllowCredentials(true);
        UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
        source.registerCorsConfiguration("/**", cors);
        return source;
    }

    /** The pages of the application. */
    @RestController
    static class Pages {

        @GetMapping("/**")
        String page(ServerWebExchange exchange) {
            return exchange.getRequest().getPath().pathWithinApplication().value();
        }
    }

    /** Writes denied responses. */
    @RestControllerAdvice
    static class Denials {

        @ExceptionHandler
        Mono<ResponseEntity<String>> denied(LimitExceededException e, ServerWebExchange exchange) {
            if (exchange.getRequest().getPath().value().contains("/broken")) {
                return Mono.error(new IllegalStateException("as the test wants"));
            }
            return Mono.just(ResponseEntity.status(503)
                    .headers(e.getHeaders())
                    .body("busy " + e.decision().rules().get(0).rule().name()));
        }
    }
}
