/** Tests of what operators see and change. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.operations;
