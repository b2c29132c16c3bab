package io.headgate.limits.combined;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.RequestIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A request that several policies decide together: all of them allow it and are charged, or none is charged. Pass it to {@link
 * LimitEngine#tryAcquire(CombinedRequest)}.
 *
 * <pre>{@code
 * CombinedRequest request = CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1");
 * }</pre>
 *
 * <p>Ids and permits may differ between the parts. A policy may occur several times if no two parts are charged to the same count: each
 * of its rules must have other ids in each part.
 *
 * <p>Instances are immutable and safe for use by several threads.
 *
 * @param parts 1 to 16 requests, each to one policy, in the order in which the decision lists them
 */
public record CombinedRequest(List<Part> parts) {

    /** The most parts of a request. */
    private static final int MAX_PARTS = 16;

    /**
     * A request to one policy.
     *
     * @param limiter a limiter of the engine that decides
     * @param request the ids and permits; must not have a request id
     */
    public record Part(Limiter limiter, PermitRequest request) {

        /** Checks that the request has no request id. */
        public Part {
            Objects.requireNonNull(limiter, "limiter");
            RequestIds.requireNone("a combined request", request);
        }
    }

    /** Checks the number of parts. */
    public CombinedRequest {
        Bounds.inRange("number of parts of a combined request", parts.size(), 1, MAX_PARTS);
        parts = List.copyOf(parts);
    }

    /**
     * Returns a request for one permit under one policy; add further parts with {@link #and}.
     *
     * @param id the value of the policy's single dimension; not empty
     */
    public static CombinedRequest of(Limiter limiter, String id) {
        return of(limiter, PermitRequest.of(id));
    }

    /** Returns a request under one policy; add further parts with {@link #and}. */
    public static CombinedRequest of(Limiter limiter, PermitRequest request) {
        return new CombinedRequest(List.of(new Part(limiter, request)));
    }

    /**
     * Returns this request with a further part: one permit under the policy of this limiter.
     *
     * @param id the value of the policy's single dimension; not empty
     * @throws IllegalArgumentException if this request already has 16 parts
     */
    public CombinedRequest and(Limiter limiter, String id) {
        return and(limiter, PermitRequest.of(id));
    }

    /**
     * Returns this request with a further part, under the policy of this limiter.
     *
     * @throws IllegalArgumentException if this request already has 16 parts, or the request has a request id
     */
    public CombinedRequest and(Limiter limiter, PermitRequest request) {
        List<Part> more = new ArrayList<>(parts);
        more.add(new Part(limiter, request));
        return new CombinedRequest(more);
    }
}
