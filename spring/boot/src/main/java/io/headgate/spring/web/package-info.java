/** Limits for HTTP requests: their properties, and the exceptions of denied requests and calls. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web;
