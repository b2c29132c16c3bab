package io.headgate.spring.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/** The annotation of the same name of Spring Boot 4, with the properties of the application. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@org.springframework.boot.webflux.test.autoconfigure.WebFluxTest
@TestPropertySource(properties = "spring.config.location=classpath:guide/tested.yaml")
@interface WebFluxTest {}
