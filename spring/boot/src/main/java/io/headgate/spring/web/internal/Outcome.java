package io.headgate.spring.web.internal;

/**
 * The outcome of an admitted request, by which its permits are refunded.
 *
 * @param status the status of the response; not negative
 * @param authenticated whether Spring Security authenticated the user during the request
 */
public record Outcome(int status, boolean authenticated) {}
