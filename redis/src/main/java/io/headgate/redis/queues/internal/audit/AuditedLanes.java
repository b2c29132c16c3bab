package io.headgate.redis.queues.internal.audit;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The lanes of waiting jobs in a queue: one for each tenant, and one for jobs without a tenant. */
public interface AuditedLanes {

    /** All keys of the queue with the keys of one lane, in the order that the audit scripts expect. */
    String[] keys(Optional<String> tenant);

    /** Lists tenants that may have waiting jobs, by name, after the given one; an empty list at the end. */
    CompletableFuture<List<String>> tenants(String after);
}
