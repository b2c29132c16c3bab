package io.headgate.server.doctor;

import io.headgate.server.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * One run of {@code headgate doctor} and its output, with a long timeout unless another one is given.
 *
 * @param exitCode the exit code of the command
 * @param output what it printed to standard output
 */
record DoctorRun(int exitCode, String output) {

    private static final String TIMEOUT = "--redis-timeout";

    static DoctorRun of(String... options) {
        StringWriter out = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of("doctor"));
        arguments.addAll(List.of(options));
        if (!arguments.contains(TIMEOUT)) {
            arguments.addAll(List.of(TIMEOUT, "4s"));
        }
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        return new DoctorRun(line.execute(arguments.toArray(String[]::new)), out.toString());
    }

    String lastLine() {
        return output.lines().reduce((first, last) -> last).orElse("");
    }
}
