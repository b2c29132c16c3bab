package io.headgate.server.demo;

import io.headgate.server.serve.ServeCommand;
import picocli.CommandLine;

/** One server of {@code headgate demo policies}, with its log in the standard output, which the demo reads. */
final class DemoServer {

    private DemoServer() {}

    /** Runs {@code headgate serve} with these arguments. */
    public static void main(String[] arguments) {
        System.setErr(System.out);
        System.exit(new CommandLine(new ServeCommand()).execute(arguments));
    }
}
