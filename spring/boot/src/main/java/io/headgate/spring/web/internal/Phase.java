package io.headgate.spring.web.internal;

/** When a request is decided: each route belongs to one phase. */
public enum Phase {
    /** Before Spring Security authenticates the request. */
    BEFORE_AUTHENTICATION,
    /** After it; in an application without Spring Security, as well. */
    AFTER_AUTHENTICATION
}
