package io.headgate.testkit.faults;

import io.headgate.testkit.faults.Frames.Frame;
import io.headgate.testkit.internal.Monitor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The errors that a {@link FaultProxy} returns in place of Redis. */
final class ProxyAnswers {

    private final Monitor monitor = new Monitor();
    private final List<Answer> answers = new ArrayList<>();

    /** An error as the answer to these commands, or to every command if the set is empty. */
    private record Answer(String error, Set<String> commands, boolean once) {

        boolean matches(String command) {
            return commands.isEmpty() || commands.contains(command);
        }
    }

    /** Adds an answer, which is used once or until {@link #clear()}; the oldest answer is used first. */
    void add(String error, String[] commands, boolean once) {
        if (error.isBlank() || error.contains("\r") || error.contains("\n")) {
            throw new IllegalArgumentException(
                    "an error is one line of text, such as \"LOADING Redis is loading\", was \"" + error + "\"");
        }
        Set<String> names = Arrays.stream(commands)
                .map(name -> name.toUpperCase(Locale.ROOT))
                .collect(Collectors.toSet());
        monitor.change(() -> answers.add(new Answer(error, names, once)));
    }

    void clear() {
        monitor.change(answers::clear);
    }

    /** Returns the proxy's answer to this command, and removes it if it was set to be used once; empty if Redis is to answer. */
    Optional<Frame> answerTo(String command) {
        return monitor.change(() -> {
            Optional<Answer> found =
                    answers.stream().filter(one -> one.matches(command)).findFirst();
            found.filter(Answer::once).ifPresent(answers::remove);
            return found.map(one -> Frame.reply(("-" + one.error() + "\r\n").getBytes(StandardCharsets.UTF_8)));
        });
    }
}
