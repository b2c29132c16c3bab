package io.headgate.spring.internal;

import io.headgate.limits.Health;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.redis.limits.RedisLimitEngine;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What the health of the application contains about its engine. The health indicators of Spring Boot 3 and 4 differ only in types. */
public final class EngineHealth {

    private final LimitEngine engine;
    private final String description;

    /**
     * Creates the contents.
     *
     * @param engine the engine of the application
     * @param inUse the engine that Headgate created; empty if the application has an engine of its own
     */
    public EngineHealth(LimitEngine engine, Optional<EngineInUse> inUse) {
        this.engine = engine;
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

    /** Returns the engine, its state, and whether limits are decided as usual or by fallbacks: {@code normal} or {@code degraded}. */
    public Map<String, Object> details() {
        Health state = engine.health();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("engine", description);
        details.put("state", state.name().toLowerCase(Locale.ROOT));
        details.put("limits", state.callsRedis() ? "normal" : "degraded");
        return details;
    }
}
