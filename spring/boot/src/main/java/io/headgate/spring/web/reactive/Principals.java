package io.headgate.spring.web.reactive;

import io.headgate.spring.internal.FailureLog;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Finds the authenticated users of exchanges. */
final class Principals {

    private static final FailureLog FAILURES = new FailureLog("the principal");

    private final Predicate<Principal> authenticated;

    /**
     * Creates an instance.
     *
     * @param authenticated whether a principal is an authenticated user
     */
    Principals(Predicate<Principal> authenticated) {
        this.authenticated = authenticated;
    }

    /**
     * Returns the user of an exchange; empty if there is none. If it can't be found, which is logged, it is a principal whose name fails, so
     * that the value counts as one that failed.
     */
    Mono<Optional<Principal>> of(ServerWebExchange exchange) {
        return exchange.getPrincipal()
                .map(principal -> Optional.<Principal>of(principal).filter(authenticated))
                .onErrorResume(e -> {
                    FAILURES.failed("", "the user is unknown", e);
                    return Mono.just(Optional.of(() -> {
                        throw new IllegalStateException("the principal is unknown", e);
                    }));
                })
                .defaultIfEmpty(Optional.empty());
    }

    /** What principals of Spring Security are authenticated users. */
    static final class OfSpringSecurity implements Predicate<Principal> {

        @Override
        public boolean test(Principal principal) {
            return !(principal instanceof AnonymousAuthenticationToken)
                    && (!(principal instanceof Authentication authentication) || authentication.isAuthenticated());
        }
    }
}
