package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.internal.cluster.Redirect;
import io.headgate.redis.internal.cluster.SlotView;
import io.lettuce.core.RedisCommandExecutionException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RedirectTest {

    @Test
    void errors_of_redirects_are_parsed_and_others_are_not() {
        assertThat(redirect("MOVED 3999 127.0.0.1:6381"))
                .isEqualTo(new Redirect(Redirect.Kind.MOVED, "127.0.0.1:6381"));
        assertThat(redirect("ASK 3999 ::1:6381")).isEqualTo(new Redirect(Redirect.Kind.ASK, "::1:6381"));
        assertThat(redirect("MOVED 3999 :6381")).isEqualTo(new Redirect(Redirect.Kind.MOVED, ":6381"));
        assertThat(redirect("TRYAGAIN Multiple keys request during rehashing of slot"))
                .isEqualTo(new Redirect(Redirect.Kind.TRYAGAIN, ""));
        assertThat(redirect("MOVED")).isNull();
        assertThat(redirect("ERR MOVED")).isNull();
        assertThat(Redirect.of(new IllegalStateException("MOVED 1 a:1"))).isNull();
        assertThat(Redirect.isTryAgain(new RuntimeException(new RedisCommandExecutionException("TRYAGAIN x"))))
                .isTrue();
    }

    private static @Nullable Object redirect(String message) {
        return Redirect.of(new RedisCommandExecutionException(message));
    }

    @Test
    void slots_are_parsed_and_the_view_of_most_nodes_is_taken() {
        byte[] host = "10.0.0.2".getBytes(StandardCharsets.UTF_8);
        List<Object> reply = List.of(
                List.of(
                        5461L,
                        16_383L,
                        List.of(host, 7001L, "id".getBytes(StandardCharsets.UTF_8)),
                        List.of(host, 7003L)),
                List.of(0L, 5460L, List.of(new byte[0], 7000L)));
        SlotView view = SlotView.of(reply, "10.0.0.1");
        assertThat(view.ranges())
                .containsExactly(
                        new SlotView.Range(0, 5460, "10.0.0.1:7000"),
                        new SlotView.Range(5461, 16_383, "10.0.0.2:7001"));
        assertThat(view.replicas()).containsExactly("10.0.0.2:7003");
        assertThatThrownBy(() -> SlotView.of(List.of(List.of(0L, 99_999L, List.of(host, 1L))), "a"))
                .isInstanceOf(IllegalArgumentException.class);
        SlotView other = new SlotView(List.of(), Set.of());
        assertThat(SlotView.mostAgreed(List.of(other, view, view), other)).isEqualTo(view);
        assertThat(SlotView.mostAgreed(List.of(other, view), view)).isEqualTo(view);
        assertThat(SlotView.mostAgreed(List.of(view, other), view)).isEqualTo(view);
        assertThat(SlotView.mostAgreed(List.of(), view)).isNull();
    }
}
