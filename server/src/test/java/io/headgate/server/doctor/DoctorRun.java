package io.headgate.server.doctor;

import io.headgate.server.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * One run of {@code headgate doctor} and what it said.
 *
 * @param exitCode of the command
 * @param output all that it printed
 */
record DoctorRun(int exitCode, String output) {

    static DoctorRun of(String... options) {
        StringWriter out = new StringWriter();
        String[] arguments = new String[options.length + 1];
        arguments[0] = "doctor";
        System.arraycopy(options, 0, arguments, 1, options.length);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        return new DoctorRun(line.execute(arguments), out.toString());
    }

    String lastLine() {
        return output.lines().reduce((first, last) -> last).orElse("");
    }
}
