@org.jspecify.annotations.NullMarked
package io.headgate.spring.outgoing;
