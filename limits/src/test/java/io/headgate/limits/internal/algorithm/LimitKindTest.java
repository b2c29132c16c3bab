package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every type of limit has a kind of its own. */
class LimitKindTest {

    @Test
    void each_type_of_limit_has_a_kind_of_its_own() {
        Duration minute = Duration.ofMinutes(1);
        List<Limit> limits = List.of(
                Limit.fixedWindow(1, minute),
                Limit.calendarWindow(1, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
                Limit.slidingWindow(1, minute),
                Limit.slidingCounter(1, minute),
                Limit.tokenBucket(1, 1, minute),
                Limit.leakyBucket(1, 1, minute));
        List<String> all = Stream.of(Limit.class.getPermittedSubclasses())
                .map(Class::getName)
                .toList();
        assertThat(limits).extracting(limit -> limit.getClass().getName()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(limits).extracting(LimitKind::of).containsExactly(LimitKind.values());
    }
}
