package io.headgate.http.attributes;

import java.util.concurrent.CompletionStage;

/** Finds one value of a request by a call that takes time, for example the tenant of an API key in a directory. Must not block. */
@FunctionalInterface
public interface AsyncValueResolver {

    /**
     * Starts to find the value. The view must be read before this method returns.
     *
     * @return a stage that fails if the value cannot be looked up; a request without a value is absent instead
     */
    CompletionStage<ResolvedValue> resolve(RequestView request);
}
