/** Limits for the HTTP calls that an application makes. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.outgoing;
