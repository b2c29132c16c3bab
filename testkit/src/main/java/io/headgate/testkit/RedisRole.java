package io.headgate.testkit;

import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The port and the arguments of a Redis process. */
interface RedisRole {

    /** A port for the process; called again if another process has taken the last one. */
    int port();

    /** The arguments of the program, which keeps its files in this folder. */
    List<String> arguments(int port, Path folder);

    /** A Redis without persistence; the further arguments override this and other defaults. */
    static RedisRole server(List<String> furtherArguments) {
        return new RedisRole() {

            @Override
            public int port() {
                return LoopbackPorts.free();
            }

            @Override
            public List<String> arguments(int port, Path folder) {
                return serverArguments(port, folder, furtherArguments);
            }
        };
    }

    /** A node of a Cluster, whose bus uses the port plus 10 000. */
    static RedisRole clusterNode(List<String> furtherArguments) {
        return new RedisRole() {

            @Override
            public int port() {
                return LoopbackPorts.freePair(10_000);
            }

            @Override
            public List<String> arguments(int port, Path folder) {
                return serverArguments(port, folder, furtherArguments);
            }
        };
    }

    /** A sentinel on this port, with these lines of configuration. */
    static RedisRole sentinel(int port, List<String> configuration) {
        return new RedisRole() {

            @Override
            public int port() {
                return port;
            }

            @Override
            public List<String> arguments(int port, Path folder) {
                Path file = folder.resolve("sentinel.conf");
                if (Files.notExists(file)) { // a sentinel keeps its state in this file, and needs it after a restart
                    write(file, configuration);
                }
                return List.of(
                        file.toString(),
                        "--sentinel",
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        folder.toString());
            }
        };
    }

    private static void write(Path file, List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private static List<String> serverArguments(int port, Path folder, List<String> furtherArguments) {
        List<String> arguments = new ArrayList<>(List.of(
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.toString(),
                "--daemonize",
                "no",
                "--save",
                "",
                "--appendonly",
                "no"));
        arguments.addAll(furtherArguments);
        return arguments;
    }
}
