/** Tests of contexts that are processed ahead of time. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.aot;
