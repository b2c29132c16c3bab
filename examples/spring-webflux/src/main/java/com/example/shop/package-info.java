/** A shop on Spring WebFlux whose requests are limited by the properties in {@code application.yaml}. */
package com.example.shop;
