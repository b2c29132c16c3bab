package io.headgate.micrometer;

import io.headgate.config.sources.PolicyStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Binds the meters of policies that change while the process runs: how many versions it has applied and rejected, whether the latest one is
 * in force, and since when the version in force applies. Safe for use by any number of threads.
 *
 * <pre>{@code
 * PolicyReloader policies = PolicyReloader.start(limits, source);
 * new PolicyMetrics(policies::status).bindTo(registry);
 * }</pre>
 */
public final class PolicyMetrics implements MeterBinder {

    private final Supplier<PolicyStatus> status;
    private final Tags tags;

    /**
     * Creates the meters.
     *
     * @param status returns the current status, as {@link io.headgate.config.sources.PolicyReloader#status} does
     */
    public PolicyMetrics(Supplier<PolicyStatus> status) {
        this(status, Tags.empty());
    }

    /**
     * Creates the meters.
     *
     * @param status returns the current status, as {@link io.headgate.config.sources.PolicyReloader#status} does
     * @param tags further tags of all meters
     */
    public PolicyMetrics(Supplier<PolicyStatus> status, Iterable<Tag> tags) {
        this.status = Objects.requireNonNull(status, "status");
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // Meters reference their object weakly, and their function strongly. So the functions hold the status.
        FunctionCounter.builder("headgate.policies.applied", registry, meters -> status.get()
                        .applied())
                .description("Versions of the policies that this process has applied, the first one included")
                .tags(tags)
                .register(registry);
        FunctionCounter.builder("headgate.policies.rejected", registry, meters -> status.get()
                        .rejections())
                .description("Versions of the policies that this process has rejected")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "headgate.policies.outdated",
                        () -> status.get().rejected().isPresent() ? 1 : 0)
                .description(
                        "1 while the latest version of the policies is rejected or cannot be read, and an earlier one is in force")
                .tags(tags)
                .register(registry);
        TimeGauge.builder("headgate.policies.since", () -> status.get().since().toEpochMilli(), TimeUnit.MILLISECONDS)
                .description("When this process applied the version in force, as time since 1970")
                .tags(tags)
                .register(registry);
    }
}
