package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.spring.annotation.OrderMessages.Order;
import io.headgate.spring.web.LimitExceededException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The example of the guide limits the calls of its method. */
class OrderMessagesTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OrderMessages.class)
    static class Application {

        final List<String> sent = new ArrayList<>();

        @Bean
        OrderMessages.Sms sms() {
            return sent::add;
        }
    }

    @Test
    void each_line_of_an_order_needs_a_permit_of_its_user() {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.policies.sms.rules.per-user.by=user",
                        "headgate.policies.sms.rules.per-user.sliding-window.permits=3",
                        "headgate.policies.sms.rules.per-user.sliding-window.window=1h",
                        "headgate.policies.gateway.rules.all.in-flight.permits=1")
                .run()) {
            OrderMessages messages = application.getBean(OrderMessages.class);
            messages.confirm(new Order("alice", List.of("a", "b")));
            messages.confirm(new Order("alice", List.of()));
            assertThatThrownBy(() -> messages.confirm(new Order("alice", List.of("c", "d"))))
                    .isInstanceOfSatisfying(LimitExceededException.class, e -> assertThat(
                                    e.decision().remaining())
                            .isEqualTo(1));
            messages.confirm(new Order("bob", List.of("e")));
            assertThat(application.getBean(Application.class).sent).containsExactly("a", "b", "e");
        }
    }
}
