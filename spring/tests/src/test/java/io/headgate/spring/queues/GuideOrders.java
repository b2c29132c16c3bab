package io.headgate.spring.queues;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The code of the guide. */
final class GuideOrders {

    private GuideOrders() {}

    record Order(@NotBlank String customer, int lines) {}

    record Measurement(String sensor, double value) {}

    static final class UnknownCustomerException extends RuntimeException {

        private static final long serialVersionUID = 1;
    }

    @Component
    static class OrderListeners {

        private final Received received;

        OrderListeners(Received received) {
            this.received = received;
        }

        @QueueListener(queue = "confirmations", concurrency = "20", deadLetterOn = UnknownCustomerException.class)
        void confirm(@Valid Order order, @JobHeader("language") Optional<String> language) {
            mail(order.customer(), language.orElse("en"));
        }

        @StreamListener(stream = "placed", group = "billing")
        void bill(Order order) {
            invoice(order);
        }

        @QueueListener(queue = "deliveries")
        void deliver(Order order, Acknowledgement acknowledgement) {
            if (isOpen()) {
                acknowledgement.ack();
            } else {
                acknowledgement.handBack(Duration.ofHours(1));
            }
        }

        @DeadLetterListener(queue = "confirmations")
        void failed(DeadLetter<String> order, DeadLetterAcknowledgement acknowledgement) {
            alert(order.job().id(), order.job().causes());
            acknowledgement.keep();
        }

        @QueueListener(queue = "measurements", batch = "100")
        void store(List<Measurement> measurements) {
            insert(measurements);
        }

        @QueueListener(queue = "invoices", batch = "100")
        void send(List<BatchJob<Order>> orders) {
            for (BatchJob<Order> order : orders) {
                try {
                    send(order.payload());
                    order.ack();
                } catch (IllegalStateException e) {
                    order.retry(Duration.ofMinutes(1), "the printer is busy");
                }
            }
        }

        private void insert(List<Measurement> measurements) {
            measurements.forEach(measurement -> received.add("measurements", measurement.sensor()));
        }

        private void send(Order order) {
            if (order.lines() == 0) {
                throw new IllegalStateException();
            }
            received.add("invoices", order.customer());
        }

        private void alert(JobId id, List<String> causes) {
            received.add("alerts", causes.size() + " " + id.value().length());
        }

        private void mail(String customer, String language) {
            if (customer.equals("stranger")) {
                throw new UnknownCustomerException();
            }
            received.add("confirmations", customer + " " + language);
        }

        private void invoice(Order order) {
            received.add("placed", order.customer());
        }

        private boolean isOpen() {
            received.add("deliveries", "closed");
            return false;
        }
    }

    @Service
    static class OrderService {

        private final QueueTemplate queues;

        OrderService(QueueTemplate queues) {
            this.queues = queues;
        }

        @Transactional
        void place(Order order) {
            save(order);
            queues.afterCommit().enqueue("confirmations", NewJob.of(order).header("language", "de"));
            queues.afterCommit().produce("placed", order);
        }

        private static void save(Order order) {
            if (order.lines() == 0) {
                throw new IllegalArgumentException("an order needs lines");
            }
        }
    }
}
