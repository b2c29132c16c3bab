package io.headgate.redis.queues.internal.audit;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The lanes of waiting jobs in a queue: that of jobs without a tenant, and one for each tenant. */
public interface AuditedLanes {

    /** All keys of the queue with those of one lane, in the order that the scripts expect; the last is that of the done jobs. */
    String[] keys(Optional<String> tenant);

    /** Lists tenants that may have waiting jobs, by name, after one of them; none at the end. */
    CompletableFuture<List<String>> tenants(String after);
}
