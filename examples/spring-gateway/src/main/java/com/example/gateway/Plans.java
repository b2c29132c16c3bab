package com.example.gateway;

import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** The plans of tenants, which a real application would read from its database. */
@Component
public class Plans {

    private static final Map<String, String> PLANS = Map.of("acme", "paid");

    /**
     * The plan of a tenant, which is the name of the policy that limits the tenant.
     *
     * @param apiKeys the keys that a request has; it should have one
     */
    public String of(List<String> apiKeys) {
        return apiKeys.stream().findFirst().map(PLANS::get).orElse("free");
    }
}
