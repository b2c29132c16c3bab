package io.headgate.spring.operations;

import io.headgate.config.PolicyRegistry;
import io.headgate.http.Problem;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimiterException;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.spring.internal.EngineHealth;
import io.headgate.spring.internal.QueueStates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Shows the engine, the policies and their counts, and the queues at {@code /actuator/headgate}, and inspects and resets keys. Actuator calls blocking
 * operations on threads that may block.
 */
@WebEndpoint(id = "headgate", defaultAccess = Access.READ_ONLY)
public final class HeadgateEndpoint {

    private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType(Problem.MEDIA_TYPE);
    private static final int NOT_FOUND = 404;
    private static final int BAD_REQUEST = 400;
    private static final int UNAVAILABLE = 503;

    private final LimitEngine engine;
    private final EngineHealth health;
    private final DecisionCounts counts;
    private final EndpointPolicies policies;
    private final QueueStates queues;
    private final EndpointProperties properties;

    HeadgateEndpoint(
            LimitEngine engine,
            EngineHealth health,
            PolicyRegistry registry,
            DecisionCounts counts,
            QueueStates queues,
            EndpointProperties properties) {
        this.engine = engine;
        this.health = health;
        this.counts = counts;
        this.policies = new EndpointPolicies(engine, registry, new PolicyJson(counts));
        this.queues = queues;
        this.properties = properties;
    }

    /** Returns the engine, all policies with their counts since the start, and the queues, streams and listeners. */
    @ReadOperation
    public Map<String, Object> all() {
        Map<String, Object> members = new LinkedHashMap<>(health.details());
        members.remove("queues"); // their health, in place of which each queue has its counts or its problem
        List<Map<String, Object>> shown = new ArrayList<>();
        policies.names().forEach(name -> policies.find(name).ifPresent(policy -> shown.add(policy.members())));
        members.put("policies", shown);
        counts.others().ifPresent(others -> members.put("otherPolicies", others));
        members.putAll(queues.members());
        return members;
    }

    /** Returns one policy with its counts since the start and, if the engine counts them, its hot keys. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> policy(@Selector String policy, SecurityContext security) {
        return answer(policy, found -> {
            Map<String, Object> members = found.members();
            hotKeys(policy)
                    .map(keys -> StateJson.of(keys, properties.showValues().isShown(security, properties.roles())))
                    .ifPresent(keys -> members.put("hotKeys", keys));
            return members;
        });
    }

    private Optional<TopKeys> hotKeys(String policy) {
        if (!(engine instanceof RedisLimitEngine redis)) {
            return Optional.empty();
        }
        try {
            // Completes within the timeout of the engine.
            return Optional.of(redis.hotKeys().top(policy).toCompletableFuture().join())
                    .filter(keys -> keys.requested().total() > 0);
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Inspects or resets a key of a policy.
     *
     * @param operation {@code inspect} or {@code reset}
     * @param key the value of each dimension, such as {@code user=alice&ip=192.0.2.1}, encoded as a form
     * @param rule the only rule that is reset; by default, all rules with dimensions
     */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> change(
            @Selector String policy, @Selector String operation, @Nullable String key, @Nullable String rule) {
        return answer(policy, found -> switch (operation) {
            case "inspect" -> found.inspect(key);
            case "reset" -> reset(policy, found.reset(key, rule));
            default -> throw new IllegalArgumentException("operation must be inspect or reset, but was " + operation);
        });
    }

    private static Map<String, Object> reset(String policy, boolean stored) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy);
        members.put("reset", stored);
        return members;
    }

    private WebEndpointResponse<Map<String, Object>> answer(
            String name, Function<EndpointPolicy, Map<String, Object>> operation) {
        Optional<EndpointPolicy> found = policies.find(name);
        if (found.isPresent()) {
            return answer(() -> operation.apply(found.get()));
        }
        String instead = policies.names().isEmpty()
                ? "; declare policies below headgate.policies"
                : "; there are " + policies.names();
        return problem(NOT_FOUND, "there is no policy " + name + instead);
    }

    private static WebEndpointResponse<Map<String, Object>> answer(Supplier<Map<String, Object>> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (IllegalArgumentException e) {
            return problem(BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (LimiterException e) {
            return problem(UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private static WebEndpointResponse<Map<String, Object>> problem(int status, String detail) {
        return new WebEndpointResponse<>(Problem.of(status, detail).members(), status, PROBLEM);
    }
}
