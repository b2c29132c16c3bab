/** A gateway on Spring Cloud Gateway Server WebMVC, with a limited route in {@code application.yaml} and another in Java. */
package com.example.gateway;
