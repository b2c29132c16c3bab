package io.headgate.spring.queues;

import java.util.List;
import java.util.concurrent.Semaphore;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application whose listeners never return, to be killed. */
final class StuckProcess {

    private StuckProcess() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stuck.class)
    static class Application {}

    static class Stuck {

        @DeadLetterListener(queue = "killed", lease = "500ms")
        void stuckWithDeadLetter(String text) throws InterruptedException {
            System.out.println("received " + text);
            new Semaphore(0).acquire();
        }

        @QueueListener(queue = "killed-batch", batch = "3", batchWait = "10s", lease = "500ms")
        void stuckWithBatch(List<String> texts) throws InterruptedException {
            System.out.println("received " + texts);
            new Semaphore(0).acquire();
        }
    }

    /** Starts the application with the properties, each of which is {@code --name=value}. */
    public static void main(String[] properties) {
        new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).run(properties);
    }
}
