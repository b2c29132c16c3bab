package io.headgate.spring.web.servlet;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The request that the current thread handles, for events of Spring Security, which do not name their request. */
final class CurrentRequest {

    // Each application has one, as long as it runs.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable RequestState> current = new ThreadLocal<>();

    Optional<RequestState> get() {
        return Optional.ofNullable(current.get());
    }

    void set(RequestState state) {
        current.set(state);
    }

    void clear() {
        current.remove();
    }
}
