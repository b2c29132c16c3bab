package io.headgate.http.attributes;

import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Present;
import io.headgate.limits.Attributes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Resolves the attributes of HTTP requests, by which policies count. Immutable and safe for use by any number of threads.
 *
 * <pre>{@code
 * AttributeResolver resolver = AttributeResolver.builder()
 *         .attribute(Attributes.USER, ValueResolver.attribute("user"))
 *         .attribute(Attributes.IP, ValueResolver.clientAddress(ClientAddress.trusting("10.0.7.0/28")))
 *         .attribute(Attributes.ENDPOINT, ValueResolver.pathPattern("/orders/{id}", "/**"))
 *         .build();
 *
 * ResolvedAttributes resolved = resolver.resolve(request);
 * if (resolved.hasAll(policy.dimensions())) {
 *     Decision decision = limiter.tryAcquire(PermitRequest.of(resolved.attributes()));
 * }
 * }</pre>
 *
 * <p>A filter calls {@link #resolve} if the resolver {@link #isSynchronous}, which creates no stage; otherwise {@link #resolveAsync}.
 */
public final class AttributeResolver {

    private final Map<String, ValueResolver> values;
    private final Map<String, AsyncValueResolver> asyncValues;

    private AttributeResolver(Map<String, ValueResolver> values, Map<String, AsyncValueResolver> asyncValues) {
        this.values = values;
        this.asyncValues = asyncValues;
    }

    /** Returns a builder of a resolver without attributes. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the names of all attributes. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>(values.keySet());
        names.addAll(asyncValues.keySet());
        return names;
    }

    /** Returns whether no attribute is resolved asynchronously. */
    public boolean isSynchronous() {
        return asyncValues.isEmpty();
    }

    /**
     * Resolves all attributes of a request. Throws no exception for a malformed request. An exception of your own resolver is thrown to
     * the caller.
     *
     * @throws IllegalStateException if the resolver is not {@linkplain #isSynchronous synchronous}
     */
    public ResolvedAttributes resolve(RequestView request) {
        if (!isSynchronous()) {
            throw new IllegalStateException("attributes " + asyncValues.keySet()
                    + " are resolved asynchronously; call resolveAsync instead of resolve");
        }
        return synchronous(request).build();
    }

    /**
     * Resolves all attributes of a request, asynchronous ones concurrently. If the resolver is synchronous, the stage is already
     * complete. The stage fails if one of your own resolvers throws an exception or fails.
     */
    public CompletionStage<ResolvedAttributes> resolveAsync(RequestView request) {
        try {
            Collected collected = synchronous(request);
            CompletableFuture<Collected> all = CompletableFuture.completedFuture(collected);
            for (Map.Entry<String, AsyncValueResolver> one : asyncValues.entrySet()) {
                all = all.thenCombine(
                        one.getValue().resolve(request), (before, value) -> before.add(one.getKey(), value));
            }
            return all.thenApply(Collected::build);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Collected synchronous(RequestView request) {
        Collected collected = new Collected();
        values.forEach((name, value) -> collected.add(name, value.resolve(request)));
        return collected;
    }

    /** The values and the reasons for absent ones that are known so far. The stages of a request add to it one after another. */
    private static final class Collected {

        private final Map<String, String> present = new LinkedHashMap<>();
        private final Map<String, Absent> absent = new LinkedHashMap<>();

        Collected add(String name, ResolvedValue value) {
            if (value instanceof Present found) {
                present.put(name, found.value());
            } else {
                absent.put(name, (Absent) value);
            }
            return this;
        }

        ResolvedAttributes build() {
            return new ResolvedAttributes(Attributes.of(present), absent);
        }
    }

    /** Builds a resolver. Not safe for use by several threads. */
    public static final class Builder {

        private static final int MAX_ATTRIBUTES = 32;

        private final Map<String, ValueResolver> values = new LinkedHashMap<>();
        private final Map<String, AsyncValueResolver> asyncValues = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Adds an attribute.
         *
         * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
         * @throws IllegalArgumentException if the name has another form or already has a resolver, or there are already 32 attributes
         */
        public Builder attribute(String name, ValueResolver value) {
            requireNew(name);
            values.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Adds an attribute that is resolved asynchronously.
         *
         * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
         * @throws IllegalArgumentException if the name has another form or already has a resolver, or there are already 32 attributes
         */
        public Builder asyncAttribute(String name, AsyncValueResolver value) {
            requireNew(name);
            asyncValues.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        private void requireNew(String name) {
            Attributes.of(name, "any"); // Throws if the name is malformed.
            if (values.containsKey(name) || asyncValues.containsKey(name)) {
                throw new IllegalArgumentException("attribute " + name + " has a resolver already; give it one");
            }
            if (values.size() + asyncValues.size() == MAX_ATTRIBUTES) {
                throw new IllegalArgumentException("number of attributes must be at most " + MAX_ATTRIBUTES);
            }
        }

        /** Returns the resolver. */
        public AttributeResolver build() {
            return new AttributeResolver(new LinkedHashMap<>(values), new LinkedHashMap<>(asyncValues));
        }
    }
}
