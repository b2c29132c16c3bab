package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A partner's 429 to one application pauses the calls of another one, which is a process of its own. */
@Timeout(300)
class SharedPauseIT {

    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final Partner PARTNER = new Partner();

    private static CallingProcess first;
    private static CallingProcess second;

    @BeforeAll
    static void start() {
        first = startProcess();
        second = startProcess();
    }

    private static CallingProcess startProcess() {
        return CallingProcess.start(
                "--headgate.redis.url=" + RedisServer.shared().url(),
                "--headgate.redis.timeout=30s",
                "--headgate.redis.key-prefix=shared-pause",
                "--headgate.policies.partners.pausable=true",
                "--headgate.policies.partners.rules.calls.by[0]=host",
                "--headgate.policies.partners.rules.calls.by[1]=path",
                "--headgate.policies.partners.rules.calls.sliding-window.permits=100",
                "--headgate.policies.partners.rules.calls.sliding-window.window=1m",
                "--headgate.outgoing.routes[0].policy=partners",
                "--headgate.outgoing.routes[0].by.host=host",
                "--headgate.outgoing.routes[0].by.path=path",
                "--headgate.outgoing.routes[0].pause-by=host",
                "--headgate.outgoing.routes[0].max-pause=1h");
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
        PARTNER.close();
    }

    /** Also in the process that did not end the pause. */
    @AfterEach
    void resume() {
        String url = PARTNER.url("/any");
        first.run("resume", url);
        Await.until("resume", WITHIN, () -> second.run("peek", url).equals("COUNTED"));
        PARTNER.reply(200, "");
    }

    @Test
    void a_429_to_one_process_pauses_only_the_calls_of_another_to_the_same_host() {
        String paused = PARTNER.url("/b");
        String other = paused.replace("localhost", "127.0.0.1");
        assertThat(second.run("rest", paused)).isEqualTo("200");
        PARTNER.reply(429, "3600");
        assertThat(first.run("rest", PARTNER.url("/a"))).isEqualTo("429");
        awaitPaused(second, paused);
        PARTNER.reply(200, "");
        PARTNER.calls();

        assertThat(second.run("rest", paused)).matches("denied, Retry-After 3[56][0-9]{2}");
        assertThat(second.run("web", paused)).startsWith("denied, ");
        assertThat(PARTNER.calls()).isZero();
        assertThat(second.run("rest", other)).isEqualTo("200");
        assertThat(second.run("web", other)).isEqualTo("200");
    }

    @Test
    void a_429_to_a_web_client_pauses_the_calls_of_another_process() {
        String paused = PARTNER.url("/web");
        assertThat(first.run("web", paused)).isEqualTo("200");
        PARTNER.reply(429, "3600");
        assertThat(second.run("web", paused)).isEqualTo("429");
        awaitPaused(first, paused);
        PARTNER.reply(200, "");
        PARTNER.calls();

        assertThat(first.run("web", paused)).startsWith("denied, ");
        assertThat(first.run("rest", paused)).startsWith("denied, ");
        assertThat(PARTNER.calls()).isZero();
    }

    private static void awaitPaused(CallingProcess process, String url) {
        Await.until("pause", WITHIN, () -> process.run("peek", url).equals("PAUSED"));
    }
}
