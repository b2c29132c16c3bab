package io.headgate.server.demo;

import io.headgate.server.limits.ProxyRequest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** One client of the demo: its ids, its rate and its results. */
final class DemoClient {

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    final String name;
    final String user;
    final String ip;
    final int requestsPerSecond;
    final LongAdder sent = new LongAdder();
    final LongAdder allowed = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder failed = new LongAdder();

    DemoClient(String name, String user, String ip, int requestsPerSecond) {
        this.name = name;
        this.user = user;
        this.ip = ip;
        this.requestsPerSecond = requestsPerSecond;
    }

    /** The clients: polite ones, two that share an address, and greedy ones. In total, 209 requests per second. */
    static List<DemoClient> all() {
        return List.of(
                new DemoClient("a phone", "alice", "198.51.100.1", 3),
                new DemoClient("a browser", "bob", "198.51.100.2", 8),
                new DemoClient("an office, desk 1", "carol", "192.0.2.10", 9),
                new DemoClient("an office, desk 2", "dave", "192.0.2.10", 9),
                new DemoClient("a greedy script", "mallory", "203.0.113.5", 120),
                new DemoClient("a scraper", "trent", "203.0.113.6", 60));
    }

    HttpRequest request(URI check) {
        return HttpRequest.newBuilder(check)
                .header(ProxyRequest.FIELD_PREFIX + "User", user)
                .header(ProxyRequest.FIELD_PREFIX + "Ip", ip)
                .timeout(TIMEOUT)
                .build();
    }

    /** Counts a response by its status. */
    void countResponse(int status) {
        switch (status) {
            case 200 -> allowed.increment();
            case 429 -> denied.increment();
            default -> failed.increment();
        }
    }
}
