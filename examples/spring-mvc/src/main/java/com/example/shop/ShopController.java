package com.example.shop;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints of the shop. */
@RestController
class ShopController {

    private final Tokens tokens;

    ShopController(Tokens tokens) {
        this.tokens = tokens;
    }

    /** Returns a token; Spring Security has checked the password. */
    @PostMapping("/login")
    Map<String, String> login(Principal user) {
        return Map.of("token", tokens.issue(user.getName()));
    }

    @GetMapping("/api/orders")
    List<String> orders() {
        return List.of("4711", "4712");
    }

    /** An expensive request, which needs more permits. */
    @GetMapping("/api/reports/{year}")
    Map<String, Integer> report(@PathVariable int year) {
        return Map.of("year", year, "orders", 2);
    }
}
