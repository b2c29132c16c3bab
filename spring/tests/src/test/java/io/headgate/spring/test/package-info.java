/** Tests as applications have them, of a small application with limits. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.test;
