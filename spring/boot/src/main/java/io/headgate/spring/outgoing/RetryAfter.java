package io.headgate.spring.outgoing;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses {@code Retry-After} (RFC 9110): seconds, or a date. */
final class RetryAfter {

    /** More seconds than any pause has. */
    private static final int MAX_DIGITS = 9;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private RetryAfter() {}

    /** Returns the time to wait, if the field is well-formed and the time is not over. */
    static Optional<Duration> parse(@Nullable String field, Clock clock) {
        if (field == null || field.isBlank()) {
            return Optional.empty();
        }
        String text = field.strip();
        Duration wait;
        if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            wait = Duration.ofSeconds(text.length() > MAX_DIGITS ? Integer.MAX_VALUE : Long.parseLong(text));
        } else {
            try {
                Instant end = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
                wait = Duration.between(clock.instant(), end);
            } catch (DateTimeException e) {
                return Optional.empty();
            }
        }
        return wait.compareTo(SHORTEST) >= 0 ? Optional.of(wait) : Optional.empty();
    }
}
