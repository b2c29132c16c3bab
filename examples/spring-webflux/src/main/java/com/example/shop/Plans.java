package com.example.shop;

import java.security.Principal;
import java.util.Map;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.stereotype.Component;

/** The tenants of users and the plans of tenants, which a real application would read from its database. */
@Component
public class Plans {

    /** The claim of a token that has the tenant. */
    static final String TENANT = "tenant";

    private static final Map<String, String> TENANTS = Map.of("alice", "acme", "bob", "initech");
    private static final Map<String, String> PLANS = Map.of("acme", "paid");

    /** The tenant of a user who logs in. */
    public String tenantOf(String user) {
        return TENANTS.getOrDefault(user, user);
    }

    /** The plan of the user's tenant, which is the name of the policy that limits the tenant. */
    public String of(Principal user) {
        return user instanceof JwtAuthenticationToken token
                ? PLANS.getOrDefault(token.getToken().getClaimAsString(TENANT), "free")
                : "free";
    }
}
