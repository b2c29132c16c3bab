package io.headgate.spring.bench.controller;

import jakarta.servlet.ServletContext;
import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import redis.clients.jedis.JedisPool;

/** A controller with one method. The active profile selects what limits its requests. */
@SpringBootApplication
@RestController
public class ControllerApplication {

    private final ServletContext servlets;

    ControllerApplication(ServletContext servlets) {
        this.servlets = servlets;
    }

    /** Starts the application, and prints its process, its port, and its filters. */
    public static void main(String[] arguments) {
        SpringApplication.run(ControllerApplication.class, arguments);
    }

    @GetMapping("/hello")
    String hello(@RequestHeader("X-User") String user) {
        return "hello " + user;
    }

    @EventListener
    void started(WebServerInitializedEvent event) {
        System.out.println("ready " + ProcessHandle.current().pid() + " "
                + event.getWebServer().getPort() + " "
                + String.join(",", servlets.getFilterRegistrations().keySet()));
    }

    /** What the Bucket4j starter needs to count in Redis. */
    @Configuration(proxyBeanMethods = false)
    @Profile("bucket4j-redis")
    static class Bucket4jOnRedis {

        @Bean
        JedisPool jedisPool(@Value("${bench.redis}") URI redis) {
            return new JedisPool(redis);
        }
    }

    /** What the Bucket4j starter needs to count in a cache of the process. */
    @Configuration(proxyBeanMethods = false)
    @Profile("bucket4j-memory")
    @EnableCaching
    static class Bucket4jInMemory {}
}
