package io.headgate.spring.operations;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A policy whose counts an operator sees and changes. */
interface EndpointPolicy {

    /** Returns the rules and counts as members of a JSON object, which can be modified. */
    Map<String, Object> members();

    /**
     * Returns the state of a key, and charges nothing.
     *
     * @throws IllegalArgumentException if the key is not one of the policy
     */
    Map<String, Object> inspect(@Nullable String key);

    /**
     * Resets a key.
     *
     * @param rule the only rule that is reset; null for all rules with dimensions
     * @return whether a count was stored
     * @throws IllegalArgumentException if the key is not one of the policy, or there is no such rule
     */
    boolean reset(@Nullable String key, @Nullable String rule);

    /** Returns a policy with rate limits. */
    static EndpointPolicy of(Limiter limiter, PolicyJson json) {
        return new EndpointPolicy() {

            @Override
            public Map<String, Object> members() {
                return json.of(limiter.policy());
            }

            @Override
            public Map<String, Object> inspect(@Nullable String key) {
                return StateJson.of(limiter.peek(PermitRequest.of(attributes(key))));
            }

            private Attributes attributes(@Nullable String key) {
                Policy policy = limiter.policy();
                return EndpointKey.read(key, policy.dimensions(), policy.overrideAttributes());
            }

            @Override
            public boolean reset(@Nullable String key, @Nullable String rule) {
                return rule == null
                        ? limiter.reset(attributes(key))
                        : limiter.resetRule(
                                rule,
                                EndpointKey.read(
                                        key,
                                        limiter.policy().rule(rule).dimensions(),
                                        limiter.policy().dimensions()));
            }
        };
    }

    /** Returns a policy with in-flight limits. */
    static EndpointPolicy of(InFlightLimiter limiter, PolicyJson json) {
        return new EndpointPolicy() {

            @Override
            public Map<String, Object> members() {
                return json.of(limiter.policy());
            }

            @Override
            public Map<String, Object> inspect(@Nullable String key) {
                InFlightPolicy policy = limiter.policy();
                return StateJson.of(policy.name(), limiter.peek(PermitRequest.of(attributes(key))));
            }

            private Attributes attributes(@Nullable String key) {
                return EndpointKey.read(key, limiter.policy().dimensions(), Set.of());
            }

            @Override
            public boolean reset(@Nullable String key, @Nullable String rule) {
                return rule == null
                        ? limiter.reset(attributes(key))
                        : limiter.resetRule(
                                rule,
                                EndpointKey.read(
                                        key,
                                        limiter.policy().rule(rule).dimensions(),
                                        limiter.policy().dimensions()));
            }
        };
    }
}
