/** Limits for the requests of servlet applications. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web.servlet;
