package io.headgate.spring.aot;

import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.queues.DeadLetterListener;
import io.headgate.spring.queues.QueueListener;
import io.headgate.spring.queues.QueueTemplate;
import io.headgate.spring.queues.StreamListener;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** An application that prints its port when it is ready. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ProcessedApplication.Page.class, ProcessedApplication.Messages.class, ProcessedApplication.Mails.class})
public class ProcessedApplication {

    /** Starts the application. */
    public static void main(String[] args) {
        ApplicationContext context = SpringApplication.run(ProcessedApplication.class, args);
        System.out.println("aot " + AotDetector.useGeneratedArtifacts() + " port "
                + context.getEnvironment().getProperty("local.server.port"));
    }

    /** Resolves the tenant. */
    @Bean
    public ValueResolver tenant() {
        return request -> ResolvedValue.of("tenant", "acme");
    }

    /** Sends messages. */
    public static class Messages {

        /** Sends a message. */
        @RateLimited(policy = "sms", by = "user: #message.user")
        @InFlight(policy = "gateway")
        public String send(Message message) {
            return "sent to " + message.user();
        }
    }

    /** A message to a user. */
    public record Message(String user) {}

    /** A mail to a user. */
    public record Mail(String user) {}

    /** An entry of a stream. */
    public record Entry(String user) {}

    /** Enqueues and handles jobs, which are in Redis. */
    @RestController
    @ConditionalOnProperty("headgate.redis.url")
    public static class Mails {

        private final QueueTemplate queues;

        /** Creates the controller and listener. */
        public Mails(QueueTemplate queues) {
            this.queues = queues;
        }

        /** Enqueues a mail, and produces an entry. */
        @GetMapping("/mail/{user}")
        public String enqueue(@PathVariable("user") String user) {
            queues.enqueue("mails", new Mail(user));
            queues.produce("mailed", new Entry(user));
            return "enqueued";
        }

        /** Handles a mail. */
        @QueueListener(queue = "mails", deadLetterOn = IllegalArgumentException.class)
        public void handle(Mail mail) {
            if (mail.user().equals("unknown")) {
                throw new IllegalArgumentException("no user");
            }
            System.out.println("mail to " + mail.user());
        }

        /** Handles a mail that was not sent. */
        @DeadLetterListener(queue = "mails")
        public void failed(Mail mail) {
            System.out.println("no mail to " + mail.user());
        }

        /** Handles an entry. */
        @StreamListener(stream = "mailed", group = "log")
        public void log(Entry entry) {
            System.out.println("entry of " + entry.user());
        }
    }

    /** Answers requests. */
    @RestController
    public static class Page {

        private final Messages messages;

        /** Creates the controller. */
        public Page(Messages messages) {
            this.messages = messages;
        }

        /** Returns a page. */
        @GetMapping("/api/page")
        public String page() {
            return "page";
        }

        /** Sends a message. */
        @GetMapping("/send/{user}")
        public String send(@PathVariable("user") String user) {
            return messages.send(new Message(user));
        }
    }
}
