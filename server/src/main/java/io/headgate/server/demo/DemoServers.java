package io.headgate.server.demo;

import io.headgate.server.cli.StartException;
import io.headgate.testkit.ChildJvm;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Servers in processes of their own, with their policies in a Redis. They end with this process, even if it is killed. */
final class DemoServers implements AutoCloseable {

    private static final Duration START_TIME = Duration.ofMinutes(2);
    private static final Duration REQUEST_TIME = Duration.ofSeconds(30);
    private static final String LISTENING = "listening on ";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<ChildJvm> processes = new ArrayList<>();
    private final List<URI> addresses = new ArrayList<>();

    private DemoServers() {}

    /** Starts servers, and returns when they listen. */
    static DemoServers start(int count, String redis) {
        DemoServers servers = new DemoServers();
        try {
            for (int i = 0; i < count; i++) {
                servers.processes.add(ChildJvm.of(DemoServer.class)
                        .shortLived()
                        .jvmOptions("-Xmx64m", "-XX:MaxDirectMemorySize=64m")
                        .start(arguments(redis)));
            }
            for (ChildJvm process : servers.processes) {
                String line = process.awaitLine(printed -> printed.contains(LISTENING), START_TIME);
                servers.addresses.add(URI.create(line.substring(line.indexOf(LISTENING) + LISTENING.length())
                        .split(" ", 2)[0]));
            }
            return servers;
        } catch (AssertionError e) {
            servers.close();
            throw StartException.failed("the servers of the demo did not start: " + e.getMessage());
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    /** On a busy machine, a check waits for Redis for longer than by default, because the demo shows what Redis decides. */
    private static String[] arguments(String redis) {
        return new String[] {
            "--port",
            "0",
            "--policies",
            "redis",
            "--redis",
            redis,
            "--redis-timeout",
            "4s",
            "--budget",
            "4s",
            "--drain-delay",
            "0ms"
        };
    }

    int count() {
        return addresses.size();
    }

    List<URI> addresses() {
        return List.copyOf(addresses);
    }

    /** Sends a check of a user to a server. */
    HttpResponse<Void> check(int server, String user) throws InterruptedException {
        URI uri = addresses.get(server).resolve("/check/api?user=" + user);
        try {
            return http.send(
                    HttpRequest.newBuilder(uri).timeout(REQUEST_TIME).build(), HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            throw StartException.failed("a server of the demo does not reply at " + uri + ": " + e);
        }
    }

    @Override
    public void close() {
        processes.forEach(ChildJvm::close);
    }
}
