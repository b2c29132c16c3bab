package io.headgate.spring.annotation;

import java.util.List;
import org.springframework.stereotype.Service;

/** The example of the guide. */
@Service
class OrderMessages {

    private final Sms sms;

    OrderMessages(Sms sms) {
        this.sms = sms;
    }

    record Order(String userId, List<String> lines) {}

    interface Sms {

        void send(String line);
    }

    @RateLimited(policy = "sms", by = "user: #order.userId", permits = "#order.lines.size()")
    @InFlight(policy = "gateway", maxWait = "2s")
    void confirm(Order order) {
        order.lines().forEach(sms::send);
    }
}
