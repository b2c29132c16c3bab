/** What differs for Spring Boot 4: connection details and health. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.boot4;
