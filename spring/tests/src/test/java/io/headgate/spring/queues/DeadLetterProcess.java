package io.headgate.spring.queues;

import java.util.concurrent.Semaphore;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application whose listener of dead letters never returns, to be killed. */
final class DeadLetterProcess {

    private DeadLetterProcess() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stuck.class)
    static class Application {}

    static class Stuck {

        @DeadLetterListener(queue = "killed", lease = "500ms")
        void stuck(String text) throws InterruptedException {
            System.out.println("received " + text);
            new Semaphore(0).acquire();
        }
    }

    /** Starts the application with the properties, each of which is {@code --name=value}. */
    public static void main(String[] properties) {
        new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(properties);
    }
}
