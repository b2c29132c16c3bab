package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ProxyProcess;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code ops/caddy/Caddyfile} in the real Caddy. */
@Requires(Requirement.CADDY)
class CaddyIT extends ProxyContract {

    private static final String GLOBAL = "{\n\tadmin off\n}\n";

    @Override
    ProxyProcess start(Path folder, List<String> headgates, String appAddress) throws IOException {
        Path caddy = ProxyProcess.find("caddy").orElseThrow();
        int port = ProxyProcess.freePort();
        String example = Files.readString(Path.of("../ops/caddy/Caddyfile"))
                .replace("127.0.0.1:8080", String.join(" ", headgates))
                .replace("127.0.0.1:3000", appAddress)
                // A busy machine takes longer, and then the request would pass.
                .replace("250ms", "20s")
                .replace("1500ms", "20s")
                .replace("http://:80 {", "http://127.0.0.1:" + port + " {");
        Files.writeString(folder.resolve("Caddyfile"), GLOBAL + example);
        return ProxyProcess.start(
                port, folder, List.of(caddy.toString(), "run", "--config", "Caddyfile", "--adapter", "caddyfile"));
    }

    @Override
    int statusOfUnknownPolicy() {
        return 404;
    }

    @Override
    boolean seesDoubledFields() {
        return true;
    }

    @Test
    void a_field_that_an_application_could_take_for_the_key_does_not_reach_it() throws IOException {
        assertThat(statusOfRaw("X-Api-Key: alice\r\nX_Api_Key: victim")).isEqualTo(200);
        assertThat(app.fields("X-Api-Key")).containsExactly("alice");
        assertThat(app.fields("X_Api_Key")).isEmpty();
    }

    @Test
    void a_key_that_would_exceed_the_bound_of_header_fields_if_it_were_sent_twice_passes() {
        assertThat(get("/", "X-Api-Key", "x".repeat(20_000)).statusCode()).isEqualTo(200);
    }
}
