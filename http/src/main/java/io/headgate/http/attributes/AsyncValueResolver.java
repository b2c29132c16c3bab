package io.headgate.http.attributes;

import java.util.concurrent.CompletionStage;

/** Finds one value of a request asynchronously, for example by looking up the tenant of an API key in a directory. Must not block. */
@FunctionalInterface
public interface AsyncValueResolver {

    /**
     * Starts to look up the value. Read what you need from the view before this method returns; later it is invalid.
     *
     * @return a stage with the value, which is absent if the request has none. The stage fails only if the lookup fails
     */
    CompletionStage<ResolvedValue> resolve(RequestView request);
}
