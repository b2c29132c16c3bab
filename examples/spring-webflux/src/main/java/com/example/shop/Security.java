package com.example.shop;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;

/** Users log in with a password, and call the API with the token that they get. */
@Configuration(proxyBeanMethods = false)
@EnableWebFluxSecurity
class Security {

    @Bean
    @Order(1)
    SecurityWebFilterChain login(ServerHttpSecurity http) {
        return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/login"))
                .authorizeExchange(requests -> requests.anyExchange().authenticated())
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable()) // No browser sends passwords by itself: there is no session.
                .securityContextRepository(NoOpServerSecurityContextRepository.getInstance())
                .build();
    }

    @Bean
    @Order(2)
    SecurityWebFilterChain api(ServerHttpSecurity http) {
        return http.authorizeExchange(requests -> requests.pathMatchers("/actuator/health")
                        .permitAll()
                        .anyExchange()
                        .authenticated())
                .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                .securityContextRepository(NoOpServerSecurityContextRepository.getInstance())
                .build();
    }

    @Bean
    ReactiveJwtDecoder tokenDecoder(Tokens tokens) {
        return NimbusReactiveJwtDecoder.withSecretKey(tokens.key()).build();
    }

    /** Passwords in plain text are for a sample only. */
    @Bean
    ReactiveUserDetailsService users() {
        return new MapReactiveUserDetailsService(
                User.withUsername("alice").password("{noop}wonderland").build(),
                User.withUsername("bob").password("{noop}builder").build());
    }
}
