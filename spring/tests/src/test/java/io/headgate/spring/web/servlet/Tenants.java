package io.headgate.spring.web.servlet;

import io.headgate.http.attributes.AsyncValueResolver;
import io.headgate.http.attributes.RequestView;
import io.headgate.http.attributes.ResolvedValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.stereotype.Component;

/** A bean of the guide that finds the tenant of an API key. */
@Component("tenants")
class Tenants implements AsyncValueResolver {

    private final TenantDirectory directory;

    Tenants(TenantDirectory directory) {
        this.directory = directory;
    }

    @Override
    public CompletionStage<ResolvedValue> resolve(RequestView request) {
        List<String> keys = request.headers("X-Api-Key");
        return keys.size() == 1
                ? directory.tenantOf(keys.get(0))
                        .thenApply(tenant -> tenant.map(name -> ResolvedValue.of("tenant", name))
                                .orElse(ResolvedValue.missing("tenant of the API key")))
                : CompletableFuture.completedFuture(ResolvedValue.missing("API key"));
    }
}
