package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Quoted;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request for permits: the ids to charge, the number of permits, and optionally a {@link RequestId}.
 *
 * <pre>{@code
 * PermitRequest.of("alice")                                                // one permit, for a policy with a single dimension
 * PermitRequest.of(Attributes.of("user", "alice").with("ip", "192.0.2.1")) // one permit, for a policy with several dimensions
 * PermitRequest.global()                                                   // one permit, for a policy without dimensions
 * PermitRequest.of("alice").withPermits(3).withId(RequestId.of("order-17"))
 * }</pre>
 *
 * <p>Instances are immutable and safe for use by several threads.
 */
public final class PermitRequest {

    private static final PermitRequest GLOBAL = new PermitRequest(null, Attributes.none(), 1, null);

    /** The value of the policy's single dimension; null if the request has attributes. */
    private final @Nullable String id;

    private final Attributes attributes;
    private final long permits;
    private final @Nullable RequestId requestId;

    private PermitRequest(@Nullable String id, Attributes attributes, long permits, @Nullable RequestId requestId) {
        this.id = id;
        this.attributes = attributes;
        this.permits = permits;
        this.requestId = requestId;
    }

    /**
     * Returns a request for one permit under a policy with a single dimension.
     *
     * @param id the value of that dimension, such as a user or an address; any text that is not empty
     * @throws IllegalArgumentException if the id is empty
     */
    public static PermitRequest of(String id) {
        return new PermitRequest(Bounds.id("id", id), Attributes.none(), 1, null);
    }

    /**
     * Returns a request for one permit.
     *
     * @param attributes a value for every dimension of the policy. Further attributes only determine which {@linkplain
     *     Policy.Builder#override overrides} apply
     */
    public static PermitRequest of(Attributes attributes) {
        return new PermitRequest(null, Objects.requireNonNull(attributes, "attributes"), 1, null);
    }

    /** Returns a request for one permit under a policy without dimensions. */
    public static PermitRequest global() {
        return GLOBAL;
    }

    /**
     * Returns this request for another number of permits.
     *
     * @param number at least 1; a limiter denies more than the limit, and an in-flight limiter accepts up to 100
     * @throws IllegalArgumentException if the number is less than 1
     */
    public PermitRequest withPermits(long number) {
        Bounds.requestedPermits(number);
        return new PermitRequest(id, attributes, number, requestId);
    }

    /**
     * Returns this request with an id, under which it can be repeated without being charged again. Only {@link
     * Limiter#tryAcquire(PermitRequest)} and its asynchronous form accept a request with an id.
     */
    public PermitRequest withId(RequestId requestId) {
        return new PermitRequest(id, attributes, permits, Objects.requireNonNull(requestId, "requestId"));
    }

    /** Returns the number of permits, at least 1. */
    public long permits() {
        return permits;
    }

    /** Returns the id under which the request can be repeated, if it has one. */
    public Optional<RequestId> requestId() {
        return Optional.ofNullable(requestId);
    }

    /**
     * Returns the attributes of this request under a policy. A single id becomes the value of the policy's dimension.
     *
     * @throws IllegalArgumentException if the request has a single id and the policy has no dimension or several
     */
    public Attributes attributesFor(Policy policy) {
        return id == null ? attributes : policy.attributesOf(id);
    }

    /**
     * Returns the attributes of this request under an in-flight policy. A single id becomes the value of the policy's dimension.
     *
     * @throws IllegalArgumentException if the request has a single id and the policy has no dimension or several
     */
    public Attributes attributesFor(InFlightPolicy policy) {
        return id == null ? attributes : policy.attributesOf(id);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PermitRequest that
                && Objects.equals(id, that.id)
                && attributes.equals(that.attributes)
                && permits == that.permits
                && Objects.equals(requestId, that.requestId);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, attributes, permits, requestId);
    }

    /** Returns the request as text, such as {@code 3 permits for "alice" with the request id "order-17"}. */
    @Override
    public String toString() {
        return permits
                + (permits == 1 ? " permit for " : " permits for ")
                + (id == null ? attributes.toString() : Quoted.of(id))
                + (requestId == null ? "" : " with the request id " + Quoted.of(requestId.value()));
    }
}
