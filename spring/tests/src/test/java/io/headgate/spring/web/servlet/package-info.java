/** Tests of routes in servlet applications. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.web.servlet;
