package io.headgate.server;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code headgate demo}. */
@Command(name = "demo")
final class DemoCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        return 0;
    }
}
