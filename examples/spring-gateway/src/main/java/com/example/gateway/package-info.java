/** A gateway on Spring Cloud Gateway whose requests are limited by the properties in {@code application.yaml}. */
package com.example.gateway;
