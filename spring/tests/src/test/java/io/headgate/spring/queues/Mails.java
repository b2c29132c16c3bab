package io.headgate.spring.queues;

import io.headgate.queues.Job;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** The listeners of the tests, each of which records what it receives. */
@Component
class Mails {

    /** A payload. */
    record Mail(@NotBlank String to, String text) {}

    private final Received received;

    Mails(Received received) {
        this.received = received;
    }

    @QueueListener(queue = "mails", id = "mails", concurrency = "20")
    void send(@Valid Mail mail, @JobHeader(value = "tenant", required = false) String tenant, @JobHeader("copies") Optional<Integer> copies) {
        received.add("mails", mail.to() + " " + tenant + " " + copies.orElse(1));
    }

    @QueueListener(queue = "texts", id = "texts", backoff = "10ms", attempts = "2", deadLetterOn = IllegalArgumentException.class, parkOn = IllegalStateException.class)
    void text(String text, Job<byte[]> job) {
        received.add("texts", text + " " + job.attempt() + " " + job.payload().length);
        switch (text) {
            case "retry" -> throw new UnsupportedOperationException("not yet");
            case "dead" -> throw new NumberFormatException("no number");
            case "park" -> throw new IllegalStateException("later");
            default -> {}
        }
    }

    @QueueListener(queue = "manual", id = "manual", attempts = "2", backoff = "10ms")
    void settle(String text, Acknowledgement acknowledgement, Job<String> job) {
        received.add("manual", text + " " + job.attempt() + " " + job.delivery());
        switch (text) {
            case "ack" -> acknowledgement.ack();
            case "retry" -> acknowledgement.retry(Duration.ofMillis(1), "again");
            case "back" -> acknowledgement.handBack(job.delivery() == 1 ? Duration.ofMillis(1) : Duration.ofHours(1));
            case "dead" -> acknowledgement.deadLetter("no use");
            default -> {}
        }
    }

    @StreamListener(stream = "manual-entries", group = "manual", attempts = "3")
    void settleEntry(String text, Acknowledgement acknowledgement, Job<String> entry) {
        received.add("manual-entries", text + " " + entry.attempt());
        if (entry.attempt() == 1) {
            acknowledgement.retry(Duration.ofMillis(1), "again");
        } else if (text.equals("dead")) {
            acknowledgement.deadLetter("no use");
        } else {
            acknowledgement.ack();
        }
    }

    @QueueListener(queue = "stages", id = "stages", attempts = "1")
    CompletionStage<Integer> stage(String text) {
        return CompletableFuture.supplyAsync(() -> {
            received.add("stages", text);
            return Integer.parseInt(text);
        });
    }

    @QueueListener(queue = "publishers", id = "publishers", attempts = "1")
    Mono<Integer> publisher(String text) {
        return Mono.fromCallable(() -> {
            received.add("publishers", text);
            return Integer.parseInt(text);
        });
    }

    @StreamListener(stream = "orders", group = "billing", id = "billing")
    void bill(Mail order) {
        received.add("billing", order.to());
    }

    @StreamListener(stream = "orders", group = "shipping", id = "shipping")
    void ship(Mail order) {
        received.add("shipping", order.to());
    }

    @QueueListener(queue = "slow", id = "slow", concurrency = "1")
    void slow(String text) throws InterruptedException {
        received.add("slow", text);
        received.release().acquire();
        received.add("slow", text + " done");
    }

    @QueueListener(queue = "renewed", lease = "4s")
    void renewed(String text) throws InterruptedException {
        received.add("renewed", text);
        received.release().acquire();
        received.add("renewed", text + " done");
    }
}
