package io.headgate.server;

import io.headgate.testkit.Await;
import io.headgate.testkit.conditions.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A process of a real nginx or Caddy, on a port of its own. */
public final class ProxyProcess implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);

    private final Process process;
    private final int port;

    private ProxyProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Finds the program on the PATH, or where Debian installs servers. */
    public static Optional<Path> find(String program) {
        return Requirement.program(program);
    }

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException("no free port", e);
        }
    }

    /** Starts the proxy in the folder, where it also writes its log, and waits until it listens. */
    public static ProxyProcess start(int port, Path folder, List<String> command) throws IOException {
        Path log = folder.resolve("log.txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("XDG_CONFIG_HOME", folder.toString());
        builder.environment().put("XDG_DATA_HOME", folder.toString());
        ProxyProcess proxy = new ProxyProcess(builder.start(), port);
        try {
            Await.until(command.get(0) + " to listen", START, () -> proxy.listens(log));
        } catch (AssertionError e) {
            proxy.close();
            throw new AssertionError(e.getMessage() + "; its output: " + Files.readString(log), e);
        }
        return proxy;
    }

    private boolean listens(Path log) {
        if (!process.isAlive()) {
            throw new AssertionError("the proxy ended with " + process.exitValue() + "; its output is in " + log);
        }
        return isTaken(port);
    }

    /** Returns whether a process listens on this port of 127.0.0.1. */
    public static boolean isTaken(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public URI at(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
