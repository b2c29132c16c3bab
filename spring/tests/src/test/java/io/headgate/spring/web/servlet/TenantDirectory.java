package io.headgate.spring.web.servlet;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where an application finds its tenants. */
interface TenantDirectory {

    /** Returns the tenant of an API key; empty if there is no such key. */
    CompletionStage<Optional<String>> tenantOf(String key);
}
