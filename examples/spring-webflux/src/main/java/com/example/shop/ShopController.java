package com.example.shop;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The endpoints of the shop. */
@RestController
class ShopController {

    private final Tokens tokens;

    ShopController(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Returns a token; Spring Security has checked the password. */
    @PostMapping("/login")
    Mono<Map<String, String>> login(Mono<Principal> user) {
        return user.map(authenticated -> Map.of("token", tokens.issue(authenticated.getName())));
    }

    @GetMapping("/api/orders")
    Mono<List<String>> orders() {
        return Mono.just(List.of("4711", "4712"));
    }

    /** An expensive request, which needs more permits. */
    @GetMapping("/api/reports/{year}")
    Mono<Map<String, Integer>> report(@PathVariable int year) {
        return Mono.just(Map.of("year", year, "orders", 2));
    }
}
