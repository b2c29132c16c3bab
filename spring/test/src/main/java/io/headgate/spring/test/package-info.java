/** Tests of applications with limits. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.test;
