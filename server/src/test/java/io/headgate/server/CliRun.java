package io.headgate.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * One run of a command in this process, without a terminal.
 *
 * @param exitCode the exit code of the command
 * @param out its standard output
 * @param err its standard error
 */
public record CliRun(int exitCode, String out, String err) {

    public static CliRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return new CliRun(line.execute(arguments), out.toString(), err.toString());
    }
}
