package io.headgate.spring.web.servlet;

import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** An application with Spring Security: forms and HTTP Basic, and bearer tokens below {@code /token}. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({SecuredApplication.Pages.class, SecuredApplication.AllErrors.class, SecuredApplication.Cors.class})
class SecuredApplication {

    private static final Duration HOUR = Duration.ofHours(1);

    @Bean
    Policy two() {
        return Policy.of("two", Limit.slidingWindow(2, HOUR), "key");
    }

    @Bean
    Policy five() {
        return Policy.of("five", Limit.slidingWindow(5, HOUR), "key");
    }

    @Bean
    @Order(1)
    SecurityFilterChain tokens(HttpSecurity http) throws Exception {
        return http.securityMatcher("/token/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain forms(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/basic/**")
                        .authenticated()
                        .anyRequest()
                        .permitAll())
                .csrf(csrf -> csrf.disable())
                .formLogin(Customizer.withDefaults())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("alice").password("{noop}secret").build(),
                User.withUsername("bob").password("{noop}secret").build());
    }

    @Bean
    JwtDecoder tokenDecoder() {
        return token -> {
            if (!token.equals("valid")) {
                throw new BadJwtException("not valid");
            }
            return Jwt.withTokenValue(token)
                    .header("alg", "none")
                    .subject("alice")
                    .claim("tenant", "acme")
                    .expiresAt(Instant.now().plusSeconds(60))
                    .build();
        };
    }

    @Bean
    ValueResolver failing() {
        return request -> {
            throw new IllegalStateException("as the test wants");
        };
    }

    @Bean
    ValueResolver tenant() {
        return request -> ResolvedValue.of("tenant", "tenant of " + request.path());
    }

    @Bean(destroyMethod = "shutdownNow")
    ExecutorService workers() {
        return Executors.newCachedThreadPool();
    }

    /** Allows pages of another origin. */
    static class Cors implements WebMvcConfigurer {

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/cors/**")
                    .allowedOrigins("https://page.example")
                    .allowCredentials(true)
                    .exposedHeaders("X-Own");
        }
    }

    /** Handles all exceptions, as many applications do. */
    @RestControllerAdvice
    static class AllErrors {

        @ExceptionHandler
        ResponseEntity<String> handle(AccessDeniedException e) throws AccessDeniedException {
            throw e;
        }

        @ExceptionHandler
        ResponseEntity<String> handle(Exception e) throws Exception {
            if (e instanceof UnsupportedOperationException) {
                throw e;
            }
            return ResponseEntity.internalServerError().body("handled");
        }
    }

    @RestController
    static class Pages {

        private final ExecutorService workers;

        Pages(ExecutorService workers) {
            this.workers = workers;
        }

        @GetMapping({"/**", "/basic/{page}", "/token/{page}", "/cors/{page}"})
        String page() {
            return "page";
        }

        @CrossOrigin("https://shop.example")
        @GetMapping("/annotated")
        String annotated() {
            return "page";
        }

        @PostMapping("/body")
        String body(HttpServletRequest request) throws IOException {
            return request.getReader().lines().collect(Collectors.joining());
        }

        @GetMapping("/status/{status}/**")
        ResponseEntity<String> status(@PathVariable int status) {
            return ResponseEntity.status(status).body("status");
        }

        @GetMapping({"/fail", "/failed/a"})
        String fail() {
            throw new UnsupportedOperationException("as the test wants");
        }

        @GetMapping("/forbidden")
        String forbidden() {
            throw new AccessDeniedException("as the test wants");
        }

        @GetMapping("/forward")
        ModelAndView forward() {
            return new ModelAndView("forward:/forwarded");
        }

        @GetMapping("/callable")
        Callable<String> callable() {
            return () -> "page";
        }

        @GetMapping("/async/{status}")
        CompletableFuture<ResponseEntity<String>> async(@PathVariable int status) {
            return CompletableFuture.supplyAsync(() -> ResponseEntity.status(status).body("async"), workers);
        }

        @GetMapping("/events")
        SseEmitter events() {
            SseEmitter events = new SseEmitter();
            workers.execute(() -> {
                try {
                    for (int i = 0; i < 5; i++) {
                        events.send("event " + i);
                    }
                    events.complete();
                } catch (IOException e) {
                    events.completeWithError(e);
                }
            });
            return events;
        }
    }
}
