package com.example.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the shop. Its limits are in {@code application.yaml}; no class of Headgate appears in its code. */
@SpringBootApplication
public class ShopApplication {

    /** Starts the shop, with properties such as {@code --spring.data.redis.url=redis://localhost:6379}. */
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }
}
