package io.headgate.spring.internal;

import io.headgate.config.sources.PolicyStatus;
import io.headgate.limits.Health;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What the health of the application contains about its engines. The health indicators of Spring Boot 3 and 4 differ only in types. */
public final class EngineHealth {

    private final LimitEngine engine;
    private final String description;
    private final Supplier<Optional<PolicyStatus>> policies;
    private final Supplier<Stream<QueueEngine>> queues;

    /**
     * Creates the contents.
     *
     * @param engine the engine of the application
     * @param inUse the engine that Headgate created; empty if the application has an engine of its own
     * @param policies returns the version of the policies; empty if they do not change
     * @param queues returns the engines of queues that are created
     */
    public EngineHealth(
            LimitEngine engine,
            Optional<EngineInUse> inUse,
            Supplier<Optional<PolicyStatus>> policies,
            Supplier<Stream<QueueEngine>> queues) {
        this.engine = engine;
        this.policies = policies;
        this.queues = queues;
        this.description = inUse.map(EngineInUse::description).orElseGet(() -> describe(engine));
    }

    private static String describe(LimitEngine engine) {
        if (engine instanceof RedisLimitEngine redis) {
            return redis.description();
        }
        return engine instanceof InMemoryLimitEngine
                ? "memory"
                : engine.getClass().getSimpleName();
    }

    /**
     * Returns the engine, its state, and whether limits are decided as usual or by fallbacks: {@code normal} or {@code degraded}. If the
     * application uses queues, the member {@code queues} is {@code healthy} or {@code unavailable}. If its policies may change, {@code
     * policyVersion} is in force, and {@code rejectedPolicyVersion} has the reason why the latest one is not.
     */
    public Map<String, Object> details() {
        Health state = engine.health();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("engine", description);
        details.put("state", state.name().toLowerCase(Locale.ROOT));
        details.put("limits", state.callsRedis() ? "normal" : "degraded");
        policies.get().ifPresent(status -> {
            details.put("policyVersion", status.version());
            status.rejected().ifPresent(rejection -> details.put("rejectedPolicyVersion", rejection.toString()));
        });
        // An application that uses no queues has no engine of them.
        queues.get()
                .map(QueueEngine::health)
                .max(Comparator.naturalOrder())
                .ifPresent(worst -> details.put("queues", worst.name().toLowerCase(Locale.ROOT)));
        return details;
    }
}
