package io.headgate.spring.web.reactive;

import io.headgate.http.attributes.AsyncValueResolver;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.HttpStatusServerEntryPoint;
import org.springframework.security.web.server.authentication.ServerAuthenticationEntryPointFailureHandler;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.CorsRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.WebSocketService;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.reactive.socket.server.upgrade.ReactorNettyRequestUpgradeStrategy;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** An application with Spring Security: users of HTTP Basic, whose name and password are the same, and anonymous ones. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({SingleThreadNetty.class, SecuredApplication.Pages.class, SecuredApplication.AllErrors.class})
class SecuredApplication {

    @Bean
    Policy two() {
        return Policy.of("two", Limit.slidingWindow(2, Duration.ofHours(1)), "key");
    }

    @Bean
    MapReactiveUserDetailsService users() {
        return new MapReactiveUserDetailsService(
                User.withUsername("alice").password("{noop}alice").build(),
                User.withUsername("bob").password("{noop}bob").build());
    }

    /** The handler of failures is the one of the guide. */
    @Bean
    @Order(1)
    SecurityWebFilterChain forms(ServerHttpSecurity http) {
        return http.securityMatcher(ServerWebExchangeMatchers.pathMatchers("/login"))
                .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                .formLogin(form -> form.authenticationFailureHandler(new ServerAuthenticationEntryPointFailureHandler(
                        new HttpStatusServerEntryPoint(HttpStatus.UNAUTHORIZED))))
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .build();
    }

    @Bean
    @Order(2)
    SecurityWebFilterChain tokens(ServerHttpSecurity http) {
        return http.securityMatcher(ServerWebExchangeMatchers.pathMatchers("/token/**"))
                .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                .build();
    }

    @Bean
    ReactiveJwtDecoder tokenDecoder() {
        return token -> token.equals("valid")
                ? Mono.just(Jwt.withTokenValue(token)
                        .header("alg", "none")
                        .subject("alice")
                        .build())
                : Mono.error(new BadJwtException("not valid"));
    }

    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
        return http.authorizeExchange(exchanges ->
                        exchanges.pathMatchers("/private/**").authenticated().anyExchange().permitAll())
                .httpBasic(Customizer.withDefaults())
                .anonymous(Customizer.withDefaults())
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .build();
    }

    @Bean
    WebFluxConfigurer webFlux() {
        return new WebFluxConfigurer() {
            @Override
            public void addCorsMappings(CorsRegistry registry) {
                registry.addMapping("/cors/**").allowedOrigins("https://page.example");
                registry.addMapping("/private/cors").allowedOrigins("https://page.example");
            }

            /** Spring would choose Tomcat, which is on the class path of the tests, too. */
            @Override
            public WebSocketService getWebSocketService() {
                return new HandshakeWebSocketService(new ReactorNettyRequestUpgradeStrategy());
            }
        };
    }

    @Bean
    HandlerMapping sockets() {
        WebSocketHandler handler = session -> session.send(Mono.just(session.textMessage("hello")));
        return new SimpleUrlHandlerMapping(Map.of("/socket", handler), -1);
    }

    @Bean
    Tenants tenants() {
        return new Tenants();
    }

    @Bean
    SlowLookup slow() {
        return new SlowLookup();
    }

    /** Runs before all other filters. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    WebFilter observer(SlowLookup slow) {
        return (exchange, chain) -> chain.filter(exchange).doFinally(signal -> {
            if (signal == SignalType.CANCEL) {
                slow.cancelled.complete(exchange.getRequest().getPath().value());
            }
        });
    }

    /** A bean for expressions. */
    public static final class Tenants {

        public Mono<String> of(Principal user) {
            return Mono.delay(Duration.ZERO).map(tick -> "tenant of " + user.getName());
        }

        public Mono<String> current() {
            return ReactiveSecurityContextHolder.getContext()
                    .mapNotNull(SecurityContext::getAuthentication)
                    .map(user -> "current " + user.getName());
        }

        public Mono<String> failing() {
            return Mono.error(new IllegalStateException("as the test wants"));
        }

        public Mono<String> policy() {
            return Mono.just("two");
        }

        public Mono<Integer> permits() {
            return Mono.delay(Duration.ZERO).map(tick -> 2);
        }
    }

    /** Looks values up until the test has found them. */
    static final class SlowLookup implements AsyncValueResolver {

        CompletableFuture<Void> requested = new CompletableFuture<>();
        CompletableFuture<ResolvedValue> found = new CompletableFuture<>();
        CompletableFuture<String> cancelled = new CompletableFuture<>();

        /** Forgets the last test. */
        void reset() {
            requested = new CompletableFuture<>();
            found = new CompletableFuture<>();
            cancelled = new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<ResolvedValue> resolve(io.headgate.http.attributes.RequestView request) {
            requested.complete(null);
            return found;
        }
    }

    /** The pages of the application. */
    @RestController
    static class Pages {

        final AtomicInteger slowPages = new AtomicInteger();

        @GetMapping({"/{page}", "/private/{page}", "/token/{page}", "/cors/{page}", "/v/{page}"})
        Mono<String> page(@PathVariable String page) {
            return Mono.just(page);
        }

        @GetMapping("/slow/{page}")
        String slow() {
            slowPages.incrementAndGet();
            return Thread.currentThread().getName();
        }

        @GetMapping("/annotated")
        @CrossOrigin("https://page.example")
        String annotated() {
            return "annotated";
        }

        @PostMapping("/body")
        Mono<String> body(ServerWebExchange exchange) {
            return exchange.getFormData().map(form -> form.toString());
        }

        @GetMapping(path = "/events/{page}", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> events(@PathVariable String page) {
            return Flux.just("1", "2").concatWith(page.equals("endless") ? Flux.never() : Flux.empty());
        }

        @GetMapping("/status/{status}")
        ResponseEntity<String> status(@PathVariable int status) {
            return ResponseEntity.status(status).build();
        }

        @GetMapping("/fail/{when}")
        Mono<String> fail(@PathVariable String when) {
            if (when.equals("now")) {
                throw new IllegalStateException("as the test wants");
            }
            return Mono.delay(Duration.ZERO).then(Mono.error(new IllegalStateException("as the test wants")));
        }
    }

    /** Handles all exceptions, as many applications do. */
    @RestControllerAdvice
    static class AllErrors {

        @ExceptionHandler(Exception.class)
        Mono<ResponseEntity<String>> failed(Exception e) {
            return Mono.just(ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR).body("handler of all exceptions"));
        }
    }
}
