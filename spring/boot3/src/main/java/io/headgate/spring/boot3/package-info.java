/** What differs for Spring Boot 3: connection details and health. */
@org.jspecify.annotations.NullMarked
package io.headgate.spring.boot3;
