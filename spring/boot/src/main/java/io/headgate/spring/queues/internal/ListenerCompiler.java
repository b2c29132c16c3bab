package io.headgate.spring.queues.internal;

import io.headgate.queues.worker.RetryPolicy;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.queues.QueuesProperties;
import io.headgate.spring.queues.internal.deadletters.DeadLetterSource;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Compiles the annotated methods of beans, and finds all of their problems. Not safe for use by several threads. */
final class ListenerCompiler {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final int MAX_CONCURRENCY = 10_000;
    private static final int MAX_BATCH = 500;
    private static final Duration DEFAULT_BATCH_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_BATCH_WAIT = Duration.ofMinutes(1);

    private final QueueDefinitions definitions;
    private final MethodCompiler methods;
    private final UnaryOperator<String> placeholders;
    private final Problems problems;

    /**
     * Creates a compiler.
     *
     * @param placeholders replaces the placeholders of a text
     */
    ListenerCompiler(
            QueueDefinitions definitions,
            ArgumentCompiler arguments,
            UnaryOperator<String> placeholders,
            Problems problems) {
        this.definitions = definitions;
        this.methods = new MethodCompiler(arguments, problems);
        this.placeholders = placeholders;
        this.problems = problems;
    }

    /** Compiles a method of a bean with this annotation. If there are problems, the result must not be used. */
    ListenerSpec compile(ListenerAnnotation given, String beanName, Object bean, Class<?> type, Method method) {
        String where = name(method, type) + ": " + given.name();
        String source = text(where, given.stream() ? "stream" : "queue", given.source());
        String group = given.stream() ? text(where, "group", given.group()) : "";
        checkNames(where, given, source, group);
        String id = text(where, "id", given.id());
        List<QueuesProperties.Listener> defaults =
                given.stream() ? definitions.listenersOfStream(source) : definitions.listenersOfQueue(source);
        Optional<Duration> lease = setting(
                where, "lease", given.lease(), ListenerCompiler::duration, defaults, QueuesProperties.Listener::lease);
        lease.ifPresent(length -> checkLease(where, given.stream() && !given.deadLetters(), source, group, length));
        int concurrency = concurrency(where, given, defaults);
        return new ListenerSpec(
                id.isEmpty() ? beanName + "." + method.getName() : id,
                where,
                given.deadLetters(),
                source,
                given.stream() ? Optional.of(group) : Optional.empty(),
                concurrency,
                lease,
                retries(where, given, defaults),
                setting(
                                where,
                                "autoStartup",
                                given.autoStartup(),
                                ListenerCompiler::truth,
                                defaults,
                                QueuesProperties.Listener::autoStartup)
                        .orElse(true),
                given.deadLetterOn(),
                given.parkOn(),
                batch(where, given, concurrency),
                methods.method(where, given, bean, type, method));
    }

    /** Returns the name of a method for error messages, for example {@code com.example.Mails.send(Mail)}. */
    private static String name(Method method, Class<?> type) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", ")"));
    }

    private void checkNames(String where, ListenerAnnotation given, String source, String group) {
        if (given.ambiguous()) {
            problems.add(where, "needs either queue, or stream and group");
        } else if (given.stream()) {
            problems.checked(where + ".stream", () -> definitions.stream(source).name(), source);
            problems.checked(
                    where + ".group", () -> definitions.group(source, group).name(), group);
        } else {
            problems.checked(where + ".queue", () -> definitions.queue(source).name(), source);
        }
        if (given.deadLetters() && source.length() + group.length() > DeadLetterSource.LONGEST_NAME) {
            problems.add(
                    where + (given.stream() ? "" : ".queue"),
                    (given.stream() ? "stream and group together " : "") + "must have at most "
                            + DeadLetterSource.LONGEST_NAME
                            + " characters, because the name of the queue of notifications contains them");
        }
    }

    private void checkLease(String where, boolean stream, String source, String group, Duration lease) {
        if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
            problems.add(where + ".lease", "must be from 10 ms to 1 day, but was " + lease);
        } else if (stream) {
            Duration minIdle = problems.checked(
                    where + ".group", () -> definitions.group(source, group).minIdle(), LONGEST_LEASE);
            if (lease.compareTo(minIdle) > 0) {
                problems.add(
                        where + ".lease",
                        "must be at most the min-idle of the group, " + minIdle + ", but was " + lease);
            }
        }
    }

    private int concurrency(String where, ListenerAnnotation given, List<QueuesProperties.Listener> defaults) {
        int concurrency = setting(
                        where,
                        "concurrency",
                        given.concurrency(),
                        ListenerCompiler::number,
                        defaults,
                        QueuesProperties.Listener::concurrency)
                .orElse(10);
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            problems.add(where + ".concurrency", "must be from 1 to 10000, but was " + concurrency);
        }
        return concurrency;
    }

    private Optional<ListenerSpec.Batch> batch(String where, ListenerAnnotation given, int concurrency) {
        Optional<Integer> size =
                setting(where, "batch", given.batch(), ListenerCompiler::number, List.of(), none -> null);
        Duration wait = setting(
                        where, "batchWait", given.batchWait(), ListenerCompiler::duration, List.of(), none -> null)
                .orElse(DEFAULT_BATCH_WAIT);
        if (wait.isNegative() || wait.compareTo(LONGEST_BATCH_WAIT) > 0) {
            problems.add(where + ".batchWait", "must be from 0 to 1 minute, but was " + wait);
        }
        if (!given.batch().isEmpty() && text(where, "batch", given.batch()).isEmpty()) {
            problems.add(where + ".batch", "must be a number, but " + given.batch() + " is empty");
        }
        if (size.isEmpty() && given.batch().isEmpty() && !given.batchWait().isEmpty()) {
            problems.add(where + ".batchWait", "needs batch, the maximum number of jobs of a call");
        }
        int jobs = size.orElse(1);
        if (jobs < 1 || jobs > MAX_BATCH) {
            problems.add(where + ".batch", "must be from 1 to " + MAX_BATCH + ", but was " + jobs);
        } else if (jobs * (long) concurrency > MAX_CONCURRENCY) {
            problems.add(
                    where + ".batch",
                    "must be at most 10000 divided by the concurrency of " + concurrency + ", but was " + jobs);
        }
        return size.map(most -> new ListenerSpec.Batch(most, wait));
    }

    private RetryPolicy retries(String where, ListenerAnnotation given, List<QueuesProperties.Listener> defaults) {
        int attempts = setting(
                        where,
                        "attempts",
                        given.attempts(),
                        ListenerCompiler::number,
                        defaults,
                        QueuesProperties.Listener::attempts)
                .orElse(RetryPolicy.DEFAULT.attempts());
        Duration backoff = setting(
                        where,
                        "backoff",
                        given.backoff(),
                        ListenerCompiler::duration,
                        defaults,
                        QueuesProperties.Listener::backoff)
                .orElse(RetryPolicy.DEFAULT.base());
        Duration longest = setting(
                        where,
                        "longestBackoff",
                        given.longestBackoff(),
                        ListenerCompiler::duration,
                        defaults,
                        QueuesProperties.Listener::longestBackoff)
                .orElseGet(() -> max(backoff, RetryPolicy.DEFAULT.longest()));
        return problems.checked(
                where,
                () -> RetryPolicy.DEFAULT.withAttempts(attempts).withWaits(backoff, longest),
                RetryPolicy.DEFAULT);
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /** Returns the setting of the annotation, or of the most specific property. */
    private <T> Optional<T> setting(
            String where,
            String member,
            String given,
            Function<String, T> parser,
            List<QueuesProperties.Listener> defaults,
            Function<QueuesProperties.Listener, @Nullable T> property) {
        String text = text(where, member, given);
        if (!text.isEmpty()) {
            return problems.checked(where + "." + member, () -> Optional.of(parser.apply(text)), Optional.<T>empty());
        }
        return defaults.stream()
                .<T>flatMap(all -> Optional.ofNullable(property.apply(all)).stream())
                .findFirst();
    }

    private String text(String where, String member, String text) {
        return problems.checked(where + "." + member, () -> placeholders.apply(text), text);
    }

    private static Integer number(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number, but was " + text, e);
        }
    }

    private static Duration duration(String text) {
        if (Character.isDigit(text.charAt(text.length() - 1))) {
            throw new IllegalArgumentException("must be a duration with its unit, such as 30s, but was " + text);
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a duration such as 30s, but was " + text, e);
        }
    }

    private static Boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false, but was " + text);
        };
    }
}
