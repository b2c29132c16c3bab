package io.headgate.server.cli;

import io.headgate.server.text.Json;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The output of a command: lines for people or, with {@code --json}, JSON for programs. */
public final class OutputFormat {

    @Option(names = "--json", description = "Print JSON, in one line.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /** Prints the lines or the JSON, as the option states. */
    public void print(Map<String, Object> members, List<String> lines) {
        PrintWriter out = command.commandLine().getOut();
        if (json) {
            out.print(new String(Json.line(members), StandardCharsets.UTF_8));
        } else {
            lines.forEach(out::println);
        }
        out.flush();
    }
}
